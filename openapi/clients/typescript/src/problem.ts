// What went wrong, as the service says it.

import type { components } from "./schema.js";

/** The body of a refused request (RFC 9457). */
export type Problem = components["schemas"]["Problem"];

/** A request that the service refused. */
export class MusterError extends Error {
  override readonly name = "MusterError";

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** What the service says about it, when it does. */
    readonly problem: Problem | undefined,
    /** Seconds after which to try again. */
    readonly retryAfter: number | undefined,
    told: string,
  ) {
    super(told);
  }

  /** A stable code, such as `0003` of what is not found. */
  get code(): string | undefined {
    return this.problem?.code;
  }

  /** What is wrong with each field of the request. */
  get fields(): Record<string, string> {
    return Object.fromEntries((this.problem?.errors ?? []).map((error) => [error.fieldName, error.message]));
  }

  /** The id of the request in the log of the service. */
  get requestId(): string | undefined {
    return this.problem?.requestId;
  }
}

/** Reads what a refusal says. */
export async function refusal(method: string, url: string, response: Response): Promise<MusterError> {
  const text = await response.text();
  let problem: Problem | undefined;
  if (response.headers.get("Content-Type")?.startsWith("application/problem+json")) {
    problem = JSON.parse(text) as Problem;
  }
  const after = Number(response.headers.get("Retry-After") ?? Number.NaN);
  const told = problem?.detail ?? text.slice(0, 200);
  return new MusterError(
    response.status,
    problem,
    Number.isFinite(after) ? after : undefined,
    `${method} ${new URL(url).pathname}: ${response.status} ${told}`,
  );
}
