// Sends requests: with a token that is renewed, and again where the service asks for it.

import { refusal } from "./problem.js";

export interface Options {
  /** Where the service is, such as `https://muster.example`. */
  url: string;
  /** Key and secret of an API key. */
  key: string;
  secret: string;
  /** The tenant of calls that name none, such as `client_1`. */
  tenant?: string;
  /** How long, in milliseconds, a request is tried again while the service asks for it or is away; default a minute, 0 for never. */
  patience?: number;
  /** In place of the `fetch` of the platform. */
  fetch?: typeof fetch;
}

export interface Sent {
  method: string;
  url: string;
  headers: Headers;
  /** Gives the body anew for each attempt. */
  body?: () => BodyInit;
  /** May it be sent again also when nobody knows what became of it, when it was refused, or never? */
  again: "always" | "refused" | "never";
  signal?: AbortSignal | undefined;
}

/** A token is renewed this long before it ends. */
const AHEAD = 60_000;

export class Wire {
  private token: Promise<{ text: string; until: number }> | undefined;

  constructor(private readonly options: Options) {}

  /** Sends a request of the interface, and gives an answer that is not a refusal. */
  async send(sent: Sent): Promise<Response> {
    let token = await this.bearer();
    let renewed = false;
    for (;;) {
      sent.headers.set("Authorization", `Bearer ${token}`);
      const response = await this.patiently(sent);
      if (response.ok) return response;
      // A token may be revoked before it ends.
      if (response.status !== 401 || renewed || sent.again === "never") throw await refusal(sent.method, sent.url, response);
      await response.body?.cancel();
      renewed = true;
      this.token = undefined;
      token = await this.bearer();
    }
  }

  private async bearer(): Promise<string> {
    const known = await this.token?.catch(() => undefined);
    if (known && known.until > Date.now()) return known.text;
    this.token = this.fresh();
    return (await this.token).text;
  }

  private async fresh(): Promise<{ text: string; until: number }> {
    const { key, secret } = this.options;
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id: key, client_secret: secret });
    const sent: Sent = {
      method: "POST",
      url: new URL("/auth/oauth/token", this.options.url).href,
      headers: new Headers(),
      body: () => form,
      again: "always",
    };
    const asked = Date.now();
    const response = await this.patiently(sent);
    if (!response.ok) throw await refusal(sent.method, sent.url, response);
    const { access_token, expires_in } = (await response.json()) as { access_token: string; expires_in: number };
    return { text: access_token, until: asked + expires_in * 1000 - AHEAD };
  }

  /** Again after 429 and 503, as `Retry-After` says, and after a failure of the network where that does no harm. */
  private async patiently(sent: Sent): Promise<Response> {
    const until = Date.now() + (this.options.patience ?? 60_000);
    for (let pause = 200; ; pause = Math.min(pause * 2, 5_000)) {
      let wait = pause;
      try {
        const response = await this.once(sent);
        const refused = response.status === 429 || response.status === 503;
        const after = Number(response.headers.get("Retry-After") ?? 0) * 1000;
        if (!refused || sent.again === "never" || Date.now() + Math.max(after, pause) > until) return response;
        await response.body?.cancel();
        wait = Math.max(after, pause);
      } catch (error) {
        if (sent.signal?.aborted || sent.again !== "always" || Date.now() + wait > until) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  private once(sent: Sent): Promise<Response> {
    const { method, url, headers, signal } = sent;
    const request: RequestInit & { duplex?: "half" } = { method, headers, redirect: "manual" };
    if (sent.body) {
      request.body = sent.body();
      if (request.body instanceof ReadableStream) request.duplex = "half";
    }
    if (signal) request.signal = signal;
    return (this.options.fetch ?? fetch)(url, request);
  }
}
