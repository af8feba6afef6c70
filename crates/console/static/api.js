// The only way to the service: operations by their operationId, as operations.js has them from the document.

import operations from "./operations.js";

const ROLES = ["viewer", "operator", "integrator", "admin"];

/**
 * Who is signed in, and the tenant that is looked at.
 * @type {{me: Answer<"getMe">, home: string, role: string, tenant: string}}
 */
export const session = { me: /** @type {any} */ (null), home: "", role: "viewer", tenant: "" };

/** An error that the service answered. */
export class Problem extends Error {
  constructor(status, body) {
    const isOld = status === 412;
    super(isOld ? "Somebody changed it meanwhile." : body.detail || body.title || "The service gave no reason.");
    this.status = status;
    this.title = isOld ? "Changed meanwhile" : body.title || "";
    this.requestId = body.requestId || "";
    this.errors = body.errors || [];
  }
}

/**
 * Whether the caller may call an operation: by role, or in a session that is limited to one alert or incident on the
 * screen of that one.
 * @param {OperationId} name
 */
export function may(name) {
  const [method, , role] = operations[name];
  const { limitedTo, operations: answers = [] } = session.me;
  if (limitedTo && role && (method !== "GET" || role !== "viewer")) {
    const subject = limitedTo.alertId || limitedTo.incidentId;
    return answers.includes(name) && location.pathname.endsWith(`/${subject}`);
  }
  return !role || ROLES.indexOf(session.role) >= ROLES.indexOf(role);
}

/**
 * The role that an operation needs; "" for none.
 * @param {OperationId} name
 */
export const roleFor = (name) => operations[name][2];

const listeners = new Set();
let online = true;

/**
 * Calls back whenever the service stops or begins to answer (`online`), nobody is signed in any more (`signedOut`), or
 * something was written (`wrote`).
 */
export function onState(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notifyListeners(state) {
  if (state.online !== undefined && state.online === online) return;
  if (state.online !== undefined) online = state.online;
  for (const listener of listeners) listener(state);
}

/**
 * The keys of requests that had no answer, or that of something between, by what was sent. The same request again
 * within this time has the same key, so that the service does once what it did already.
 * @type {Map<string, {key: string, until: number}>}
 */
const unanswered = new Map();
const SAME_WITHIN = 10 * 60e3;

/** Random and unique, but for a request that had no answer: the key under which it may be repeated. */
function requestKey(sent) {
  const before = unanswered.get(sent);
  if (before && before.until > Date.now()) return before.key;
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Where an operation is, with its parts and parameters.
 * @param {OperationId} name
 * @param {Record<string, any>} [given]
 */
export function address(name, given = {}) {
  const { query, ...parts } = given;
  const [, template] = operations[name];
  const path = template.replace(/\{(\w+)\}/g, (_, part) =>
    encodeURIComponent(parts[part] ?? (part === "tenantId" ? session.tenant : "")),
  );
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query || {})) {
    if (value !== undefined && value !== null && value !== "") parameters.set(key, String(value));
  }
  return path + (parameters.size ? `?${parameters}` : "");
}

/**
 * Calls an operation. Of `given`, `query`, `body`, `match` (an ETag) and `signal` mean themselves; with `type`, `body`
 * is a text or a file of this media type. The others are parts of the path.
 * @template {OperationId} N
 * @param {N} name
 * @param {Given<N>} [given]
 * @returns {Promise<Answer<N>>} the answer as JSON, of lines of JSON a list; the ETag of an object is in `tag(answer)`.
 */
export async function call(name, given) {
  const { query, body, type, match, signal, ...parts } = /** @type {Record<string, any>} */ (given || {});
  const [method] = operations[name];
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = type || "application/json";
  const content = body === undefined || type ? body : JSON.stringify(body);
  const sent = `${method} ${address(name, { query, ...parts })} ${content}`;
  const key = method === "POST" ? requestKey(sent) : "";
  if (key) headers["Idempotency-Key"] = key;
  if (match) headers["If-Match"] = match;
  // A request that was refused left nothing behind, so that its key may be used again.
  const retry = () => {
    if (key && (content === undefined || typeof content === "string"))
      unanswered.set(sent, { key, until: Date.now() + SAME_WITHIN });
  };
  let answer;
  let text;
  try {
    answer = await fetch(address(name, { query, ...parts }), {
      method,
      headers,
      signal,
      body: content,
      credentials: "same-origin",
      redirect: "error",
      cache: "no-store",
    });
    text = await answer.text();
    if (answer.ok) unanswered.delete(sent);
    else if (answer.status >= 500) retry();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    retry();
    notifyListeners({ online: false });
    throw new Problem(0, {
      title: "No answer",
      detail: "The service does not answer. This page may be out of date; nothing was lost.",
    });
  }
  notifyListeners({ online: true });
  const kind = answer.headers.get("Content-Type") || "";
  let json = null;
  try {
    if (answer.ok && kind.startsWith("text/")) json = text;
    else if (kind.startsWith("application/x-ndjson"))
      json = text.split("\n").flatMap((line) => (line ? [JSON.parse(line)] : []));
    else json = text ? JSON.parse(text) : {};
  } catch {
    if (answer.ok)
      throw new Problem(answer.status, {
        title: "Invalid answer",
        detail: "The answer is incomplete, or came from another service.",
      });
  }
  if (!answer.ok) {
    const problem = new Problem(answer.status, json || { title: answer.statusText });
    problem.requestId ||= answer.headers.get("X-Request-Id") || "";
    if (answer.status === 401) notifyListeners({ signedOut: true });
    throw problem;
  }
  if (method !== "GET") notifyListeners({ wrote: true });
  if (json && typeof json === "object") tags.set(json, answer.headers.get("ETag") || "");
  return json;
}

/** So many rows are read at most of a list that is needed whole. */
const MOST_ROWS = 10_000;

/**
 * All rows of a list, page by page.
 * @template {OperationId} N
 * @param {N} name
 * @param {Given<N>} given
 * @returns {Promise<Row<N>[]>}
 */
export async function readAll(name, given) {
  const rows = [];
  let cursor = /** @type {string | undefined} */ (undefined);
  do {
    const query = { .../** @type {any} */ (given).query, pageSize: 1000, cursor };
    const givenPage = /** @type {any} */ ({ ...given, query });
    const page = /** @type {any} */ (await call(name, givenPage));
    rows.push(...page.results);
    cursor = page.nextCursor;
  } while (cursor && rows.length < MOST_ROWS);
  return rows;
}

const tags = new WeakMap();

/** The ETag that an answer came with. */
export const tag = (answer) => tags.get(answer) || "";

/** A record that was made of an answer, with the ETag of the answer. */
export function tagged(record, answer) {
  tags.set(record, tag(answer));
  return record;
}

/** Calls `work` with each of several things, four at a time; returns failures as `[thing, problem]`. */
export async function each(things, work) {
  const failed = [];
  const queue = [...things];
  const worker = async () => {
    for (let thing = queue.shift(); thing !== undefined; thing = queue.shift()) {
      try {
        await work(thing);
      } catch (problem) {
        failed.push([thing, problem]);
      }
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return failed;
}

/** A text that was typed as the value of a filter, which is taken whole; "" for none. */
export const quoted = (text) =>
  text.trim() &&
  `"${text
    .trim()
    .replace(/(\\+)(?="|$)/g, "$1$1")
    .replaceAll('"', '\\"')}"`;

/** Terms of a queryString: those without a value are left out. What is typed is `quoted` first. */
export function terms(pairs) {
  const given = Object.entries(pairs).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  return given.map(([name, value]) => `${name}:${value}`).join("+");
}
