// Search for machines by host name, group or site.

import { call, quoted, terms } from "./api.js";

/** The maximum number of machines to return of a name, a group or a site. */
const SOME = 20;

/** The machines whose name, or that of where they are, is this: `{total, rows}`. */
async function search(variable, name) {
  const queryString = terms({ [variable]: quoted(name), isEquals: "true" });
  const { totalResults, results } = await call("searchResources", { query: { queryString, pageSize: SOME } });
  return { total: totalResults, rows: results };
}

/** The machines of a host name. */
export const machinesByHostName = (hostName) => search("hostName", hostName);

/** The machines of a device group. */
export const machinesInGroup = (name) => search("deviceGroup", name);

/** The machines at a site. */
export const machinesAtSite = (name) => search("deviceLocation", name);
