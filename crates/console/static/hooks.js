// Hooks: state that follows the service, and work that is repeated.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/preact-htm.js";
import { call, onState, session } from "./api.js";

export { useEffect, useLayoutEffect, useMemo, useRef, useState };

/**
 * Calls `work(event)` for each event of a kind. It listens before what it belongs to is seen: an effect would come
 * after that, and miss a key or a scroll in between.
 * @param {EventTarget} target the same one at every drawing
 * @param {string} kind
 * @param {(event: any) => void} work
 * @param {AddEventListenerOptions} [options]
 */
export function useListener(target, kind, work, options) {
  const latest = useRef(work);
  latest.current = work;
  useLayoutEffect(() => {
    const listener = (/** @type {Event} */ event) => latest.current(event);
    target.addEventListener(kind, listener, options);
    return () => target.removeEventListener(kind, listener, options);
  }, []);
}

/** Calls `work` at an interval, while the page is visible. */
export function useEvery(milliseconds, work) {
  const tick = useRef(() => {});
  tick.current = () => document.hidden || work();
  useEffect(() => {
    if (!milliseconds) return undefined;
    const timer = setInterval(() => tick.current(), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
  useListener(document, "visibilitychange", () => milliseconds && tick.current());
}

/**
 * The answer of `work(signal)`, fetched again when `key` changes, by `reload()`, and every `poll` milliseconds. The old
 * answer stays until the new one is there, and late answers to old requests are dropped. A request without an answer is
 * repeated once the service answers again.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @param {string | undefined} key
 */
export function useAnswer(work, key, poll = 0) {
  // `data` is undefined until the first answer; callers check it.
  /** @type {{key: string | undefined, data: T, problem: any, loading: boolean}} */
  const begun = { key: undefined, data: /** @type {any} */ (undefined), problem: undefined, loading: true };
  const [state, set] = useState(begun);
  const round = useRef(0);
  const abort = useRef(null);
  const ask = async (quiet) => {
    const mine = ++round.current;
    abort.current?.abort();
    abort.current = new AbortController();
    if (!quiet) set((before) => (before.loading ? before : { ...before, loading: true }));
    try {
      const data = await work(abort.current.signal);
      if (mine === round.current) set({ key, data, problem: undefined, loading: false });
    } catch (problem) {
      if (problem.name !== "AbortError" && mine === round.current)
        set((before) => ({ key, data: before.key === key ? before.data : begun.data, problem, loading: false }));
    }
  };
  // Before it is seen, so that the answer is on its way while the page is drawn.
  useLayoutEffect(() => {
    ask(false);
    return () => {
      round.current += 1;
      abort.current?.abort();
    };
  }, [key]);
  useEvery(poll, () => ask(true));
  const again = useRef(() => {});
  again.current = () => state.problem?.status === 0 && ask(true);
  useLayoutEffect(() => onState(({ online }) => online && again.current()), []);
  const put = (data) => set((before) => ({ ...before, data }));
  /** After a change: shows what the service answered to it, where it did, and asks again. */
  const renew = (data) => {
    if (data) put(data);
    ask(true);
  };
  return { ...state, reload: () => ask(true), put, renew };
}

/**
 * What a list was as of a time: `first` is how many rows its first page has, and `start` is another object once
 * it was begun anew, with rows that do not follow those before.
 * @typedef {{rows: any[], cursor?: string, totalResults?: number, asOf: number, first: number, start: object}} List
 */

/** The lists that were left last, where more than a first page was read: going back shows as much of them. */
const left = new Map();
const MOST_LEFT = 3;

function keep(tenant, key, /** @type {List | undefined} */ list) {
  const name = `${tenant} ${key}`;
  left.delete(name);
  if (!list || list.rows.length <= list.first) return;
  left.set(name, list);
  if (left.size > MOST_LEFT) left.delete(left.keys().next().value);
}

/** How many rows of a list that was read on are read again, and how many at most until known ones follow. */
export const MOST_AGAIN = 200;
export const MOST_REACHED = 400;

const idOf = (row) => row?.id ?? row?.uniqueId ?? row;

/** Rows with others behind them, but for those that are among them. */
export function withRows(rows, others) {
  const known = new Set(rows.map(idOf));
  return [...rows, ...others.filter((row) => !known.has(idOf(row)))];
}

/** Whether rows that were read again go as far as a list, or further. */
function covers(rows, list) {
  const last = idOf(list.rows[list.rows.length - 1]);
  return rows.some((row) => idOf(row) === last);
}

/**
 * The rows of a list behind those that were read again. Undefined where these do not reach them: the last two have to
 * stand together in the list, since one alone may have moved.
 */
function rowsBehind(rows, list) {
  const end = rows.slice(-2).map(idOf);
  const place = list.rows.findIndex((row) => idOf(row) === end[end.length - 1]) + 1;
  const stands = end.every((id, at) => idOf(list.rows[place - end.length + at]) === id);
  return place > 0 && stands ? list.rows.slice(place) : undefined;
}

/**
 * A list of the service, page by page by cursor. When it is read again it stays as long as it was: rows that newer ones
 * push off a page are not missing before the next one.
 * @template {OperationId} N
 * @param {N} name
 * @param {Given<N>["query"]} query
 * @param {Record<string, string>} path
 */
export function useList(name, query, path = {}, poll = 0) {
  const key = JSON.stringify([name, query, path]);
  // Of another tenant there would be another list.
  const tenant = useRef(session.tenant).current;
  /** @type {{key: string, list?: List}} until the list was read */
  const kept = useRef({ key, list: history.state?.row ? left.get(`${tenant} ${key}`) : undefined }).current;
  const latest = useRef({ key, list: /** @type {List | undefined} */ (undefined) });
  const readingMore = useRef(0);
  // Which operation it is, and so what a row has, only the caller knows.
  const page = (asked, signal = /** @type {AbortSignal | undefined} */ (undefined)) =>
    /** @type {Promise<any>} */ (call(name, /** @type {any} */ ({ ...path, query: { ...query, ...asked }, signal })));
  const knownList = (wanted) =>
    (latest.current.key === wanted && latest.current.list) || (kept.key === wanted ? kept.list : undefined);

  /** The list as it was, where that is more than a first page: what is read again has to go on in it. */
  const longList = () => {
    const list = knownList(key);
    return list && (readingMore.current || list.rows.length > list.first) ? list : undefined;
  };

  /** @returns {Promise<List>} the first page, and as much behind it as there was. */
  const read = async (signal) => {
    const again = longList();
    const size = again && { pageSize: Math.min(MOST_AGAIN, again.rows.length) };
    const answer = await page(size, signal);
    const { totalResults } = answer;
    let [rows, cursor] = [answer.results, answer.nextCursor];
    const isReached = (/** @type {List} */ list) => covers(rows, list) || rowsBehind(rows, list);
    // Where all that was shown is read, and no more on its way, it does not matter what follows.
    const isEnough = (/** @type {List | undefined} */ list) =>
      !list || isReached(list) || (!readingMore.current && rows.length >= list.rows.length);
    while (cursor && !isEnough(longList()) && rows.length < MOST_REACHED) {
      const next = await page({ cursor }, signal);
      rows = withRows(rows, next.results);
      cursor = next.nextCursor;
    }
    const list = longList();
    const first = again?.first ?? rows.length;
    const begun = { rows, cursor, totalResults, asOf: Date.now(), first };
    if (!list || !cursor || !isReached(list)) return { ...begun, start: {} };
    if (covers(rows, list)) return { ...begun, start: list.start };
    return { ...begun, rows: withRows(rows, rowsBehind(rows, list)), cursor: list.cursor, start: list.start };
  };
  const answer = useAnswer(read, key, poll);
  latest.current = { key, list: answer.key === key ? answer.data : undefined };
  if (latest.current.list) kept.list = undefined;
  useEffect(() => () => keep(tenant, latest.current.key, knownList(latest.current.key)), []);

  const idle = { key, loading: false, problem: /** @type {any} */ (undefined) };
  const [state, setMore] = useState(idle);
  const further = state.key === key ? state : idle;
  const more = async () => {
    const { list } = latest.current;
    if (!list?.cursor) return;
    const done = (/** @type {typeof idle} */ how) => setMore((now) => (now.key === key ? how : now));
    readingMore.current += 1;
    setMore({ ...idle, loading: true });
    try {
      const next = await page({ cursor: list.cursor });
      const now = latest.current.list;
      if (now && now.start === list.start) {
        latest.current.list = { ...now, rows: withRows(now.rows, next.results), cursor: next.nextCursor };
        answer.put(latest.current.list);
      }
      done(idle);
    } catch (problem) {
      done({ ...idle, problem });
    } finally {
      readingMore.current -= 1;
    }
  };
  return {
    ...answer,
    // Both are undefined until the first answer; callers check it.
    rows: /** @type {Row<N>[]} */ (answer.data?.rows),
    total: /** @type {any} */ (answer.data?.totalResults),
    asOf: answer.data?.asOf,
    cursor: answer.data?.cursor,
    more,
    moreLoading: further.loading,
    moreProblem: further.problem,
  };
}

/**
 * Rows that are ticked. The set is changed in place, since copying 100,000 ids for each tick takes too long; each
 * change has another `version`.
 */
export function useChosen() {
  const [version, put] = useState({ chosen: new Set() });
  const set = (/** @type {any[]} */ ids) => put({ chosen: new Set(ids) });
  const toggle = (id) =>
    put(({ chosen }) => {
      chosen.delete(id) || chosen.add(id);
      return { chosen };
    });
  return { chosen: version.chosen, version, toggle, set, clear: () => set([]) };
}
