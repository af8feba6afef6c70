// What calls take and answer, from the document: known in every module by these names.

import type { operations } from "./schema";

/** What JSON of a type there is among the answers of an operation, or lines of it; nothing, where it answers none. */
type Json<T> = T extends { content: { "application/json": infer B } } ? B
  : T extends { content: { "application/x-ndjson": infer L } } ? L[] : Record<string, never>;
type Parameters<N extends OperationId, Where extends string> =
  operations[N] extends { parameters: { [W in Where]?: infer P } } ? NonNullable<P> : {};
/** Parameters of the URL: texts do for everything, and what is empty is left out. */
type Query<Q> = { [K in keyof Q]?: Q[K] | string | number | boolean | null };
/** Of alternatives, the fields of all: a page shows those that are there. */
type Keys<U> = U extends unknown ? keyof U : never;
type Field<U, K> = U extends unknown ? (K extends keyof U ? U[K] : never) : never;
type Several<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never;
type There<T> = Exclude<T, null | undefined>;
type Shown<T> = [T] extends [string | number | boolean | null | undefined] ? T
  : [T] extends [(infer E)[]] ? Shown<E>[]
  : Several<T> extends false ? { [K in keyof T]: Shown<There<T[K]>> }
  : { [K in Keys<T>]?: Shown<There<Field<T, K>>> };
type Path<P> = ([P] extends [never] ? {} : Omit<P, "tenantId">) & { tenantId?: string };

declare global {
  type OperationId = keyof typeof import("./operations.js")["default"] & keyof operations;
  /** `{}` where it answers no JSON. */
  type Answer<N extends OperationId> =
    operations[N] extends { responses: { 200: infer A } | { 202: infer A } } ? Shown<Json<A>> : {};
  type Sent<N extends OperationId> =
    operations[N] extends { requestBody?: { content: { "application/json": infer B } } } ? B : {};
  /** A body of another media type: a text, or a file. */
  type Text<N extends OperationId> =
    operations[N] extends { requestBody: { content: { "text/csv": any } } } ? string | Blob : never;
  /** An element of a page, or of a list. */
  type Row<N extends OperationId> =
    Answer<N> extends { results: (infer R)[] } ? R : Answer<N> extends (infer R)[] ? R : never;
  /** What `call` takes; of an operation that is any, anything. */
  type Given<N extends OperationId> = 0 extends 1 & N ? Record<string, any> : Path<Parameters<N, "path">> & {
    query?: Query<Parameters<N, "query">>;
    body?: Sent<N> | Text<N>;
    type?: string;
    match?: string;
    signal?: AbortSignal;
  };
}
