// Writes the table of operations, by which the client knows how to send what its types describe.
//
//     node operations.mjs DOCUMENT > src/operations.ts

import { readFileSync } from "node:fs";

const document = JSON.parse(readFileSync(process.argv[2], "utf8"));
const reserved = new Set(["body", "ifMatch", "idempotencyKey", "signal"]);
const lines = [];
for (const [path, item] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    if ("x-same-as" in operation) continue;
    const own = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const query = (operation.parameters ?? [])
      .map((parameter) => (parameter.$ref ? document.components.parameters[parameter.$ref.split("/").pop()] : parameter))
      .filter((parameter) => parameter.in === "query")
      .map((parameter) => parameter.name);
    const twice = query.filter((name) => own.includes(name) || reserved.has(name));
    if (twice.length > 0) throw new Error(`${operation.operationId}: ${twice} would mean two things`);
    const media = Object.keys(operation.requestBody?.content ?? {})[0];
    const facts = [method.toUpperCase(), path, ...(media ? [media] : [])];
    lines.push(`  ${operation.operationId}: ${JSON.stringify(facts)},`);
  }
}
console.log(`// Made from the OpenAPI document.

/** Method, path, and the media type of the body when there is one, by operation. */
export const OPERATIONS: Record<string, readonly [method: string, path: string, media?: string]> = {
${lines.join("\n")}
};

/** The version of the service that this client was made for. */
export const VERSION = ${JSON.stringify(document.info.version)};`);
