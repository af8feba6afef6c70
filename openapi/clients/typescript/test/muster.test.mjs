// The client against answers that are made up here.

import assert from "node:assert/strict";
import test from "node:test";

import { Muster, MusterError, formatTime, parseTime } from "../dist/index.js";

const TOKEN = { access_token: "t", token_type: "bearer", expires_in: 7199, scope: "global:manage" };
const PROBLEM = {
  type: "about:blank", title: "Invalid", status: 400, detail: "name: is missing", code: "0002", message: "name: is missing",
  requestId: "r", errors: [{ code: "0002", fieldName: "name", message: "is missing" }],
};

const gives = (status, body, headers = {}) => () => {
  const kind = status < 400 ? "application/json" : "application/problem+json";
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": kind, ...headers } });
};
const lost = () => { throw new TypeError("fetch failed"); };

function caller(answers, seen) {
  const fetch = async (url, request) => {
    const body = request.body === undefined ? "" : await new Response(request.body).text();
    seen.push({ url: new URL(url), method: request.method, headers: new Headers(request.headers), body });
    if (String(url).endsWith("/auth/oauth/token")) return gives(200, TOKEN)();
    return answers.shift()();
  };
  return new Muster({ url: "http://muster.test", key: "k", secret: "s", tenant: "client_1", patience: 5_000, fetch });
}

test("a POST is sent again under its key", async () => {
  const seen = [];
  const made = gives(200, { resourceUUID: "u", tenantID: "client_1" });
  const muster = caller([lost, gives(503, PROBLEM, { "Retry-After": "0" }), made], seen);
  assert.equal((await muster.createResource({ body: { hostName: "a" } })).resourceUUID, "u");
  assert.equal(seen.length, 4);
  assert.equal(new Set(seen.slice(1).map((request) => request.headers.get("Idempotency-Key"))).size, 1);
});

test("a DELETE whose answer is lost is not sent again", async () => {
  const seen = [];
  await assert.rejects(caller([lost], seen).deleteSite({ siteId: 7 }), TypeError);
  assert.equal(seen.length, 2);
});

test("a revoked token is replaced once", async () => {
  const seen = [];
  const refused = gives(401, { ...PROBLEM, status: 401, code: "invalid_token" });
  await assert.rejects(caller([refused, refused], seen).getSite({ siteId: 7 }), (error) => {
    assert.ok(error instanceof MusterError);
    return error.status === 401 && error.code === "invalid_token";
  });
  assert.equal(seen.filter((request) => request.url.pathname === "/auth/oauth/token").length, 2);
});

test("pages follow the cursor", async () => {
  const seen = [];
  const muster = caller([gives(200, { results: [{ name: "a" }], nextCursor: "c" }), gives(200, { results: [{ name: "b" }] })], seen);
  const names = [];
  for await (const one of muster.each("searchResources", { pageNo: 1, pageSize: 1 })) names.push(one.name);
  assert.deepEqual(names, ["a", "b"]);
  assert.equal(seen[2].url.search, "?pageSize=1&cursor=c");
});

test("bulk sends and reads lines", async () => {
  const lines = '{"line":1,"result":"created"}\n{"result":"summary","rows":1,"created":1}\n';
  const seen = [];
  const answered = [];
  const muster = caller([() => new Response(lines)], seen);
  for await (const line of muster.bulk([{ hostName: "a" }, { hostName: "b" }])) answered.push(line.result);
  assert.deepEqual(answered, ["created", "summary"]);
  assert.equal(seen[1].body, '{"hostName":"a"}\n{"hostName":"b"}\n');
  assert.equal(seen[1].headers.get("Idempotency-Key"), null);
});

test("a problem names the fields", async () => {
  await assert.rejects(caller([gives(400, PROBLEM)], []).createSite({ body: { name: "" } }), (error) => {
    assert.deepEqual(error.fields, { name: "is missing" });
    return true;
  });
});

test("times", () => {
  const instant = new Date("2026-11-20T20:37:00Z");
  assert.equal(parseTime("2026-11-20T20:37:00+0000").getTime(), instant.getTime());
  assert.equal(formatTime(instant), "2026-11-20T20:37:00+0000");
  assert.throws(() => parseTime("yesterday"), RangeError);
});
