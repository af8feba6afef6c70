// The names of records that the audit log has by their ids: from the log itself, or looked up, some at a time.

import { call, may, session } from "./api.js";
import { personName } from "./elements.js";
import { useEffect, useState } from "./hooks.js";

const named = (row) => row.name || row.hostName || row.subject || row.title || row.displayName;

/**
 * How records of a kind are looked up by their ids; `is` are the ids that no other kind has, `at` the fields that hold
 * ids which look like others'.
 * @type {Record<string, {
 *   is?: RegExp, at?: RegExp, by?: string, needs: OperationId,
 *   find: (query: any) => Promise<any>, name?: (row: any) => string,
 * }>}
 */
const KINDS = {
  User: { is: /^USR\d+$/, needs: "searchUsers", find: (query) => call("searchUsers", { query }), name: personName },
  ALERT: { is: /^ALT-/, needs: "searchAlerts", find: (query) => call("searchAlerts", { query }) },
  INCIDENT: { is: /^INC\d+$/, needs: "searchIncidents", find: (query) => call("searchIncidents", { query }) },
  KbArticle: { is: /^KBA\d+$/, needs: "listKbArticles", find: (query) => call("listKbArticles", { query }) },
  KbCategory: { is: /^KBC\d+$/, needs: "listKbCategories", find: (query) => call("listKbCategories", { query }) },
  IncidentCategory: {
    is: /^SCAT-/,
    by: "uniqueId",
    needs: "listIncidentCategories",
    find: (query) => call("listIncidentCategories", { query }),
  },
  UserGroup: {
    is: /^USRGRP-/,
    by: "uniqueId",
    needs: "searchUserGroups",
    find: (query) => call("searchUserGroups", { query }),
  },
  Roster: { is: /^ES-/, needs: "searchRosters", find: (query) => call("searchRosters", { query }) },
  EscalationPolicy: {
    is: /^EP-/,
    needs: "searchEscalationPolicies",
    find: (query) => call("searchEscalationPolicies", { query }),
  },
  AlertRoute: { is: /^AR-/, needs: "searchAlertRoutes", find: (query) => call("searchAlertRoutes", { query }) },
  MaintenanceWindow: {
    is: /^SM-/,
    needs: "searchMaintenanceWindows",
    find: (query) => call("searchMaintenanceWindows", { query }),
  },
  Integration: {
    is: /^INTG-(?!EVENT)/,
    needs: "searchInstalledIntegrations",
    find: (query) => call("searchInstalledIntegrations", { query }),
  },
  Heartbeat: { is: /^HB-/, needs: "searchHeartbeats", find: (query) => call("searchHeartbeats", { query }) },
  DeviceGroup: {
    is: /^DGP-/,
    at: /^(parent|deviceGroups?)\b/,
    needs: "searchDeviceGroups",
    find: (query) => call("searchDeviceGroups", { query }),
  },
  ServiceGroup: {
    is: /^SGP-/,
    at: /^serviceGroups?\b/,
    needs: "searchServiceGroups",
    find: (query) => call("searchServiceGroups", { query }),
  },
  Site: { at: /^(locations?|sites?)\b/, needs: "searchSites", find: (query) => call("searchSites", { query }) },
  JobScript: { at: /\bscript\b/i, needs: "searchJobScripts", find: (query) => call("searchJobScripts", { query }) },
  Job: { at: /^jobs?\b/, needs: "searchJobs", find: (query) => call("searchJobs", { query }) },
  Resource: {
    at: /^(devices?|resources?|machines?|hosts?|target)\b/,
    needs: "searchResources",
    find: (query) => call("searchResources", { query }),
  },
};

/** Ids that are looked up by one request, and for the rows that are shown. */
const AT_ONCE = 50;
const MOST = 500;
/** Names that are kept, and ids that are looked for in the changes of a row. */
const KEPT = 20_000;
const IN_ROW = 200;

/** What is known, by kind and id; an empty text is a record that was looked for and is not there. */
const known = new Map();
/** The names that the log has itself. */
const logged = new Map();

const keyOf = (kind, id) => `${session.tenant} ${kind} ${id}`;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
/** Ids of sites, groups and scripts are numbers. */
const LEAST = 1e9;

/** The kind of record that a value of a field of the log is the id of. */
function kindOf(value, field) {
  if (typeof value === "string" && !UUID.test(value))
    return value.length < 60 ? Object.keys(KINDS).find((kind) => KINDS[kind].is?.test(value)) : undefined;
  if (typeof value !== "string" && !(typeof value === "number" && value >= LEAST)) return undefined;
  return Object.keys(KINDS).find((kind) => KINDS[kind].at?.test(field));
}

/** The records, `[kind, id]`, that a value of the log refers to. */
export function recordsIn(value, field) {
  const found = /** @type {[string, string][]} */ ([]);
  const walk = (part, path, depth) => {
    if (found.length >= IN_ROW || depth > 6) return;
    if (part && typeof part === "object")
      for (const [name, inner] of Object.entries(part)) walk(inner, Array.isArray(part) ? path : name, depth + 1);
    else {
      const kind = kindOf(part, path) || kindOf(part, field);
      if (kind && !found.some(([other, id]) => other === kind && id === String(part))) found.push([kind, String(part)]);
    }
  };
  walk(value, field, 0);
  return found;
}

/** The record that a row is about, who changed it and, with `values`, those that its changes refer to. */
function recordsOf(row, values) {
  const found = /** @type {[string, string][]} */ ([]);
  if (KINDS[row.entity]) found.push([row.entity, row.entityId]);
  if (row.userId) found.push(["User", row.userId]);
  if (values)
    for (const [field, { before, after }] of Object.entries(row.changes || {}))
      found.push(...recordsIn(before, field), ...recordsIn(after, field));
  return found;
}

/** Remembers what a row calls its record; the rows come newest first. */
function learn(row) {
  const key = keyOf(row.entity, row.entityId);
  if (logged.has(key)) return;
  for (const field of ["name", "hostName", "subject", "title", "displayName", "loginName"]) {
    const { before, after } = row.changes?.[field] || {};
    const name = after || before;
    if (name && typeof name === "string") return void logged.set(key, name);
  }
}

/** What a record is called; nothing, where that is not known. */
export const nameOf = (kind, id) => known.get(keyOf(kind, id)) || logged.get(keyOf(kind, id)) || "";

/**
 * The names of the API keys of each tenant, by the id and the key, of which the log has one; an empty text is a key
 * that was looked for and is not there.
 */
const keys = new Map();

/** Reads them when rows have one that is not known, such as one that was made meanwhile. */
async function readKeys(rows) {
  const { tenant } = session;
  const before = keys.get(tenant) || new Map();
  const wanted = rows.map((row) => row.keyId).filter((id) => id && !before.has(id));
  if (!wanted.length || !may("listApiKeys")) return;
  const all = await call("listApiKeys");
  const gone = wanted.map((id) => [id, ""]);
  const there = all.flatMap((one) => [one.id, one.key].map((id) => [id, one.name]));
  keys.set(tenant, new Map([...before, ...gone, ...there]));
}

/** Whose doing a row is, in words. */
export function actorOf(row) {
  const key = keys.get(session.tenant)?.get(row.keyId);
  const person = row.userId && (nameOf("User", row.userId) || row.userId);
  if (key) return `API key ${key}`;
  return person || row.keyId;
}

/**
 * Looks up the names of the records of rows that are not known yet; what cannot be looked up stays an id.
 * @param {any[]} rows
 * @param {{values?: boolean, signal?: AbortSignal}} [given]
 */
export async function readNames(rows, { values = false, signal } = {}) {
  if (known.size > KEPT) known.clear();
  if (logged.size > KEPT) logged.clear();
  rows.forEach(learn);
  const wanted = new Map();
  let total = 0;
  for (const [kind, id] of rows.flatMap((row) => recordsOf(row, values))) {
    const key = keyOf(kind, id);
    if (known.has(key) || (logged.has(key) && kind !== "User") || total >= MOST || !may(KINDS[kind].needs)) continue;
    known.set(key, "");
    wanted.set(kind, [...(wanted.get(kind) || []), id]);
    total += 1;
  }
  const work = [readKeys(rows)];
  for (const [kind, ids] of wanted)
    for (let at = 0; at < ids.length; at += AT_ONCE) work.push(look(kind, ids.slice(at, at + AT_ONCE), signal));
  await Promise.allSettled(work);
}

async function look(kind, ids, signal) {
  const { by = "id", find, name = named } = KINDS[kind];
  signal?.throwIfAborted();
  try {
    const found = await find({ queryString: `${by}:${ids.join(",")}`, pageSize: AT_ONCE });
    for (const row of found.results) {
      for (const id of [row.id, row.uniqueId]) if (id) known.set(keyOf(kind, id), name(row) || "");
    }
  } catch (problem) {
    // Another time it may be there.
    for (const id of ids) known.delete(keyOf(kind, id));
    throw problem;
  }
}

/** Looks up the names of the rows that are shown; the number that it answers is another one when there are more. */
export function useRecordNames(rows, values = false) {
  const [version, set] = useState(0);
  useEffect(() => {
    let current = true;
    if (rows?.length) readNames(rows, { values }).then(() => current && set((before) => before + 1));
    return () => {
      current = false;
    };
  }, [rows, values]);
  return version;
}
