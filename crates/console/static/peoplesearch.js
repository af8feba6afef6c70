// The people of a tenant, to choose from: users that keys act as are never among them.

import { call, quoted, terms } from "./api.js";

/** Whether a user is one that an API key acts as. */
export const isProgram = (user) => /^api-\d+$/.test(user.loginName || "");

/** So many pages of users are read at most, and so many users in each. */
const MOST_PAGES = 5;
const PAGE = 1000;

/**
 * At most `most` people: those who are active, or with `inactive` all. `more` says that there may be others. `given` is
 * what the search of users takes.
 * @param {Record<string, any>} given
 * @returns {Promise<{people: Row<"searchUsers">[], more: boolean}>}
 */
export async function searchPeople({ query = {}, most = PAGE, inactive = false, ...given } = {}) {
  const people = [];
  let cursor = /** @type {string | undefined} */ (undefined);
  for (let pages = 0; pages < MOST_PAGES && people.length <= most && (cursor || !pages); pages += 1) {
    // Keys can be many: a page of few users may be theirs alone.
    const pageSize = Math.min(PAGE, Math.max(100, most));
    const found = await call("searchUsers", { ...given, query: { ...query, pageSize, cursor } });
    people.push(...found.results.filter((user) => !isProgram(user) && (inactive || user.activated !== false)));
    cursor = found.nextCursor;
  }
  return { people: people.slice(0, most), more: people.length > most || Boolean(cursor) };
}

/**
 * At most `most` people of whose name or login name a text is a part. `given` is as above.
 * @param {string} text
 * @param {Record<string, any>} given
 */
export async function findPeople(text, { most = PAGE, ...given }) {
  const find = async (by) =>
    (await searchPeople({ ...given, most, query: { queryString: terms({ [by]: quoted(text) }) || undefined } })).people;
  const found = await Promise.all((text.trim() ? ["name", "loginName"] : ["name"]).map(find));
  return [...new Map(found.flat().map((user) => [user.id, user])).values()].slice(0, most);
}
