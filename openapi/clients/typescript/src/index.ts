/** A client of Muster: a method for each operation of its OpenAPI document, pages as iterators, streams, typed problems. */

import { lineStream, readLines } from "./lines.js";
import { OPERATIONS } from "./operations.js";
import type { components } from "./schema.js";
import type { Argument, Input, Item, Methods, Operation, Output, Page, Paged } from "./types.js";
import { Wire, type Options, type Sent } from "./wire.js";

export { MusterError, type Problem } from "./problem.js";
export { formatTime, parseTime } from "./time.js";
export { VERSION } from "./operations.js";
export type { Input, Item, Methods, Operation, Options, Output, Page, Paged };

/** The types of the interface, by the names of its document: `Schemas["Incident"]`. */
export type Schemas = components["schemas"];

/** An answer with its version. */
export interface Answer<T> {
  data: T;
  /** The version of what was read, for `ifMatch`. */
  etag: string | undefined;
  /** Was the request carried out before, under the same idempotency key? */
  replayed: boolean;
  headers: Headers;
}

type BulkInput = Omit<Input<"bulkUpsertResources">, "body">;

class Base {
  private readonly wire: Wire;

  constructor(private readonly options: Options) {
    this.wire = new Wire(options);
  }

  /** Calls an operation by its name, for an answer with its headers. */
  async call<O extends Operation>(operation: O, ...[input]: Argument<Input<O>>): Promise<Answer<Output<O>>> {
    const response = await this.wire.send(this.request(operation, { ...input }));
    const text = await response.text();
    const json = response.headers.get("Content-Type")?.startsWith("application/json");
    return {
      data: (json ? JSON.parse(text) : text || undefined) as Output<O>,
      etag: response.headers.get("ETag") ?? undefined,
      replayed: response.headers.get("Idempotency-Replayed") === "true",
      headers: response.headers,
    };
  }

  /** All that a list has, page by page: `for await (const site of muster.each("searchSites", {}))`. */
  async *each<O extends Paged>(operation: O, ...[input]: Argument<Input<O>>): AsyncGenerator<Item<O>, void, undefined> {
    const next: Record<string, unknown> = { ...input };
    for (;;) {
      const response = await this.wire.send(this.request(operation, next));
      const page = (await response.json()) as Page<Item<O>>;
      yield* page.results;
      if (page.nextCursor === undefined) return;
      delete next["pageNo"];
      next["cursor"] = page.nextCursor;
    }
  }

  /** Creates and updates resources, and says what became of each as it is done; the last line is the summary. */
  async *bulk(
    resources: Iterable<Schemas["ResourceInput"]> | AsyncIterable<Schemas["ResourceInput"]>,
    input: BulkInput = {},
  ): AsyncGenerator<Schemas["BulkLine"], void, undefined> {
    const sent = this.request("bulkUpsertResources", { ...input });
    sent.headers.set("Content-Type", "application/x-ndjson");
    sent.body = () => lineStream(resources);
    // What an array has can be sent again; what another iterable gave is gone.
    sent.again = Array.isArray(resources) ? "always" : "never";
    yield* readLines<Schemas["BulkLine"]>(await this.wire.send(sent));
  }

  /** All resources, as they can be imported again. */
  async *export(
    input: Omit<Input<"exportResources">, "format"> = {},
  ): AsyncGenerator<Schemas["ResourceInput"], void, undefined> {
    yield* readLines<Schemas["ResourceInput"]>(await this.wire.send(this.request("exportResources", { ...input })));
  }

  private request(operation: Operation, input: Record<string, unknown>): Sent {
    const [method, path, media] = OPERATIONS[operation] ?? ["GET", "/"];
    const { body, ifMatch, idempotencyKey, signal, ...own } = input;
    const parameters: Record<string, unknown> = { tenantId: this.options.tenant, ...own };
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = parameters[name];
      if (value === undefined || value === "") throw new TypeError(`${operation} needs ${name}`);
      return encodeURIComponent(String(value));
    });
    const url = new URL(filled, this.options.url);
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined && !path.includes(`{${name}}`) && name !== "tenantId") {
        url.searchParams.set(name, String(value));
      }
    }
    const headers = new Headers();
    const inTenant = path.includes("{tenantId}");
    // Of many rows under a key the service makes one transaction, which is for the caller to ask for.
    const once = method === "POST" && inTenant && operation !== "bulkUpsertResources";
    if (once || idempotencyKey !== undefined) {
      headers.set("Idempotency-Key", String(idempotencyKey ?? crypto.randomUUID()));
    }
    if (ifMatch !== undefined) headers.set("If-Match", String(ifMatch));
    const sent: Sent = { method, url: url.href, headers, again: once || method === "GET" ? "always" : "refused" };
    if (signal instanceof AbortSignal) sent.signal = signal;
    if (media && body !== undefined) {
      headers.set("Content-Type", media);
      sent.body = () => encode(media, body);
    }
    return sent;
  }
}

function encode(media: string, body: unknown): BodyInit {
  if (media === "application/x-www-form-urlencoded") return new URLSearchParams(body as Record<string, string>);
  return typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body);
}

for (const operation of Object.keys(OPERATIONS) as Operation[]) {
  Object.defineProperty(Base.prototype, operation, {
    async value(this: Base, input: Input<typeof operation>) {
      return (await this.call(operation, input)).data;
    },
  });
}

/** A caller of the service: `new Muster({ url, key, secret, tenant: "client_1" })`. */
export type Muster = Base & Methods;
export const Muster = Base as unknown as new (options: Options) => Muster;
