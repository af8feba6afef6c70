// What a call takes and answers, read from the generated types of the operations.

import type { operations } from "./schema.js";

/** The name of an operation. */
export type Operation = keyof operations;

type Parameters<O extends Operation, Place extends string> = operations[O]["parameters"] extends {
  [place in Place]?: infer Found;
}
  ? [Exclude<Found, undefined>] extends [never]
    ? unknown
    : Exclude<Found, undefined>
  : unknown;

type PathOf<O extends Operation> = Parameters<O, "path"> extends { tenantId: string }
  ? Omit<Parameters<O, "path">, "tenantId"> & {
      /** In place of the tenant of the client. */
      tenantId?: string;
    }
  : Parameters<O, "path">;

type ContentOf<Body> = Body extends { content: infer Content } ? Content[keyof Content] : never;

type BodyOf<O extends Operation> = operations[O] extends { requestBody: infer Body }
  ? { body: ContentOf<Body> }
  : operations[O] extends { requestBody?: infer Body }
    ? [ContentOf<Exclude<Body, undefined>>] extends [never]
      ? unknown
      : { body?: ContentOf<Exclude<Body, undefined>> }
    : unknown;

type Conditions<O extends Operation> = (Parameters<O, "header"> extends { "If-Match"?: string }
  ? {
      /** The `etag` of what was read: changes nothing that somebody else has changed since. */
      ifMatch?: string;
    }
  : unknown) &
  (Parameters<O, "header"> extends { "Idempotency-Key"?: string }
    ? {
        /** Under which key the service carries the request out once; without it the client makes one. */
        idempotencyKey?: string;
      }
    : unknown);

/** All that a call of an operation takes, in one object. */
export type Input<O extends Operation> = PathOf<O> &
  Parameters<O, "query"> &
  BodyOf<O> &
  Conditions<O> & {
    /** Ends the call. */
    signal?: AbortSignal;
  };

type Responses<O extends Operation> = operations[O] extends { responses: infer All } ? All : never;

type Good<All> = All extends { 200: infer Answer } ? Answer : All extends { 202: infer Answer } ? Answer : never;

/** What an operation answers when it went well. */
export type Output<O extends Operation> = Good<Responses<O>> extends { content: infer Content }
  ? Content extends { "application/json": infer Answer }
    ? Answer
    : Content[keyof Content & string] extends infer Answer
      ? [Answer] extends [never]
        ? void
        : Answer
      : void
  : void;

/** A page of a list. */
export interface Page<Item> {
  results: Item[];
  nextCursor?: string;
}

/** The operations that answer a page. */
export type Paged = {
  [O in Operation]: Output<O> extends Page<unknown> ? ("cursor" extends keyof Parameters<O, "query"> ? O : never) : never;
}[Operation];

/** What stands on the pages of an operation. */
export type Item<O extends Paged> = Output<O> extends Page<infer One> ? One : never;

/** The operations that are streams of lines, which have methods of their own. */
export type Streamed = "bulkUpsertResources" | "exportResources";

/** An argument that may be left out when nothing in it is needed. */
export type Argument<T> = object extends T ? [input?: T] : [input: T];

/** A method for each operation. */
export type Methods = {
  [O in Exclude<Operation, Streamed>]: (...input: Argument<Input<O>>) => Promise<Output<O>>;
};
