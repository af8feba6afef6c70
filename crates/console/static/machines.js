// Search for machines by host name, group or site. A filter cannot express every name (`searchableText`): then a part
// of the name is searched for, and the results are compared with the whole name.

import { call, searchableText, terms } from "./api.js";

/** The maximum number of names to compare. */
const MOST = 1000;
/** The maximum number of machines to return of a group or a site. */
const SOME = 20;

const same = (one, other) => one.toLowerCase() === other.toLowerCase();
const whole = (name) => searchableText(name) === name;

/** @param {{results: any[], totalResults: number}} page */
const of = (page) => ({ total: page.totalResults, rows: page.results });

async function search(filter, pageSize = SOME) {
  return of(await call("searchResources", { query: { queryString: terms(filter), pageSize } }));
}

/** The machines of a host name: `{total, rows}`. */
export async function machinesByHostName(hostName) {
  if (whole(hostName)) return search({ hostName, isEquals: "true" });
  const { rows } = await search({ hostName: searchableText(hostName) }, MOST);
  const found = rows.filter((machine) => same(machine.hostName, hostName));
  return { total: found.length, rows: found };
}

/** The machines of a device group. */
export async function machinesInGroup(name) {
  if (whole(name)) return search({ deviceGroup: name, isEquals: "true" });
  const { results } = await call("searchDeviceGroups", {
    query: { queryString: terms({ name: searchableText(name) }), pageSize: MOST },
  });
  const group = results.find((one) => same(one.name, name));
  return group ? search({ deviceGroup: group.uniqueId, isEquals: "true" }) : { total: 0, rows: [] };
}

/** The machines at a site. */
export async function machinesAtSite(name) {
  if (whole(name)) return search({ deviceLocation: name, isEquals: "true" });
  const { results } = await call("searchSites", {
    query: { queryString: terms({ name: searchableText(name) }), pageSize: MOST },
  });
  const site = results.find((one) => same(one.name, name));
  return site
    ? of(await call("listSiteMembers", { siteId: site.id, query: { pageSize: SOME } }))
    : { total: 0, rows: [] };
}
