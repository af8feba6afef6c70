// The records that a field may refer to, found by what is typed, and the words by which each is shown.

import { call, may, quoted, session, terms } from "./api.js";
import { wordsOf } from "./bodyschema.js";
import { findPeople } from "./peoplesearch.js";
import { ownerOf, tenantName } from "./tenants.js";

/** How many records a picker offers. */
const MOST = 20;

const page = (filter, text, also = "") => ({
  queryString: [text && terms({ [filter]: quoted(text) }), also].filter(Boolean).join("+") || undefined,
  pageSize: MOST,
});
/** Whether the words of a record have a text in them. */
export const matches = (text) => (row) => wordsOf(row).toLowerCase().includes(text.toLowerCase());

const tenantOf = (within) => within?.tenant || session.tenant;

/** Where records are looked for: the tenant of the record that a form is about, else the one that is looked at. */
export const placeOf = (within) => ({ tenantId: tenantOf(within) });

/** The term of a filter that leaves out what belongs to clients of a partner. */
const ownTerm = (within) => (within?.clients ? "" : "allList:false");

/**
 * Whether a record may be named there. A client's record may not be named at its partner, unless the form is about
 * clients too; a partner's record may not be named by a client where only its `own` are taken.
 */
export const isOf = (within) => (row) => {
  const [tenant, owner] = [tenantOf(within), row.tenantId ?? row.clientUniqueId];
  if (within?.clients || !owner || owner === tenant) return true;
  return !within?.own && !tenant.startsWith("msp_");
};

/** The time zones, read once. */
let zones = /** @type {Promise<any> | undefined} */ (undefined);
async function timeZones(text) {
  zones ||= call("listTimeZones");
  const names = (await zones).timeZones.map((zone) => zone.name || zone.iana || zone);
  const typed = text.toLowerCase().replaceAll(" ", "_");
  return names.filter((name) => name.toLowerCase().includes(typed)).map((name) => ({ name }));
}

const resources = async (text, within) =>
  (await call("searchResources", { ...placeOf(within), query: page("hostName", text) })).results.map((row) => ({
    ...row,
    uniqueId: row.id,
    name: row.hostName || row.name,
  }));

/** Persons: not the users that keys act as. */
const users = (text, within) => findPeople(text, { ...placeOf(within), most: MOST });

async function tree(rows) {
  const flat = (list, path) =>
    list.flatMap((row) => {
      const name = path ? `${path} › ${row.name}` : row.name;
      return [{ ...row, name }, ...flat(row.subCategories || row.categories || [], name)];
    });
  return flat(await rows, "");
}

/**
 * How records of each kind are found, and the operation that one needs for it.
 * @type {Record<string, {needs: OperationId, find: (text: string, within: any) => Promise<any[]>, free?: boolean}>}
 */
const KINDS = {
  resource: { needs: "searchResources", find: resources },
  resourceName: { needs: "searchResources", find: resources, free: true },
  user: { needs: "searchUsers", find: users },
  userId: {
    needs: "searchUsers",
    find: async (text, within) => (await users(text, within)).filter((user) => user.tenantId === tenantOf(within)),
  },
  userGroup: {
    needs: "searchUserGroups",
    find: async (text, within) =>
      (await call("searchUserGroups", { ...placeOf(within), query: page("name", text) })).results,
  },
  site: {
    needs: "searchSites",
    find: async (text, within) =>
      (await call("searchSites", { ...placeOf(within), query: page("name", text) })).results,
  },
  deviceGroup: {
    needs: "searchDeviceGroups",
    find: async (text, within) =>
      (await call("searchDeviceGroups", { ...placeOf(within), query: page("name", text) })).results,
  },
  serviceGroup: {
    needs: "searchServiceGroups",
    find: async (text, within) =>
      (await call("searchServiceGroups", { ...placeOf(within), query: page("name", text) })).results,
  },
  roster: {
    needs: "searchRosters",
    find: async (text, within) =>
      (await call("searchRosters", { ...placeOf(within), query: page("name", text, ownTerm(within)) })).results,
  },
  holidayCalendar: {
    needs: "searchHolidayCalendars",
    find: async (text, within) =>
      (await call("searchHolidayCalendars", { ...placeOf(within), query: { name: text || undefined, pageSize: MOST } }))
        .results,
  },
  policy: {
    needs: "searchEscalationPolicies",
    find: async (text, within) =>
      (await call("searchEscalationPolicies", { ...placeOf(within), query: page("name", text, ownTerm(within)) }))
        .results,
  },
  integration: {
    needs: "searchInstalledIntegrations",
    find: async (text, within) =>
      (await call("searchInstalledIntegrations", { ...placeOf(within), query: page("name", text, ownTerm(within)) }))
        .results,
  },
  alert: {
    needs: "searchAlerts",
    find: async (text, within) =>
      (await call("searchAlerts", { ...placeOf(within), query: page("subject", text) })).results,
  },
  incidentCategory: {
    needs: "listIncidentCategories",
    find: async (text, within) =>
      (
        await tree(
          call("listIncidentCategories", { ...placeOf(within), query: { pageSize: 1000 } }).then((all) =>
            all.results.filter(isOf(within)),
          ),
        )
      )
        .filter(matches(text))
        .slice(0, MOST),
  },
  kbCategory: {
    needs: "listKbCategories",
    find: async (text, within) =>
      (
        await call("listKbCategories", { ...placeOf(within), query: { pageSize: 1000, queryString: ownTerm(within) } })
      ).results
        .filter(matches(text))
        .slice(0, MOST),
  },
  contactMethod: {
    needs: "listContactMethods",
    find: async (text) =>
      (await call("listContactMethods", { tenantId: session.home, userId: session.me.user.id })).filter(matches(text)),
  },
  shift: { needs: "getRoster", find: async (text, within) => (within?.shifts || []).filter(matches(text)) },
  groupChild: { needs: "searchResources", find: resources },
  parentGroup: {
    needs: "searchDeviceGroups",
    find: async (text, within) =>
      within?.kind === "service" ? KINDS.serviceGroup.find(text, within) : KINDS.deviceGroup.find(text, within),
  },
  childGroup: {
    needs: "searchDeviceGroups",
    find: async (text, within) =>
      (await KINDS.parentGroup.find(text, within))
        .filter((row) => row.uniqueId !== within.group)
        .map((row) => ({ ...row, id: row.uniqueId })),
  },
  timeZone: { needs: "getMe", find: timeZones },
  timeZoneName: { needs: "getMe", find: timeZones },
};

/** Whether people choose among records of a kind here, or type. */
export const isOffered = (kind) => Boolean(KINDS[kind]) && may(KINDS[kind].needs);

/** Whether what is typed may stand although no record is called so. */
export const isFree = (kind) => Boolean(KINDS[kind]?.free);

/**
 * The records of a kind that match what is typed. `within` is what the form is about: `tenant` is that of its record,
 * with `clients` it may name what belongs to clients of a partner, and with `own` nothing of the partner.
 */
export const findRecords = async (kind, text, within) =>
  (await KINDS[kind].find(text.trim(), within)).filter(isOf(within));

/** The words for a record that is referred to. */
export const recordWords = (record) =>
  typeof record === "string"
    ? record
    : record.typed !== undefined
      ? record.typed
      : wordsOf(record.subject ? { name: record.subject } : record) || String(record.id ?? record.uniqueId ?? "");

const idsOf = (record) =>
  typeof record === "string"
    ? [record]
    : [record?.uniqueId, record?.id].filter((id) => id !== undefined && id !== null);

/** Whether two mean the same record: by their ids, or by their words where one has no id. */
export function isSame(one, other) {
  const [ids, others] = [idsOf(one), idsOf(other)];
  if (!ids.length || !others.length) return recordWords(one) === recordWords(other);
  return ids.some((id) => others.some((also) => String(id) === String(also)));
}

/** What may tell records apart that have the same words, the best first. */
const MARKS = [
  (record) => record.loginName,
  (record) => tenantName(ownerOf(record)),
  (record) => record.ipAddress,
  (record) => idsOf(record)[0],
];

/**
 * The words of each of some records: where several have the same, with what tells these apart.
 * @param {any[]} records
 * @param {(record: any) => string} words
 * @returns {(record: any) => string}
 */
export function wordsAmong(records, words = recordWords) {
  const groups = Map.groupBy(records, words);
  return (record) => {
    const alike = (groups.get(words(record)) || []).filter(
      (one, at, all) => all.findIndex((other) => isSame(one, other)) === at,
    );
    if (alike.length < 2) return words(record);
    const mark = MARKS.find((of) => new Set(alike.map(of)).size === alike.length && alike.every(of));
    return mark ? `${words(record)} (${mark(record)})` : words(record);
  };
}
