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
    if (!quiet) set((before) => ({ ...before, loading: true }));
    try {
      const data = await work(abort.current.signal);
      if (mine === round.current) set({ key, data, problem: undefined, loading: false });
    } catch (problem) {
      if (problem.name !== "AbortError" && mine === round.current)
        set((before) => ({ key, data: before.key === key ? before.data : begun.data, problem, loading: false }));
    }
  };
  useEffect(() => {
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

/** The same each time: what is made of it is made once. */
const NO_ROWS = /** @type {any[]} */ ([]);

/** What was read of the lists that were left last, behind their first pages: going back shows it again. */
const left = new Map();
const MOST_LEFT = 3;

/** Keeps what was read of a list that is left. */
function keep(tenant, further) {
  const name = `${tenant} ${further.key}`;
  left.delete(name);
  if (!further.rows.length) return;
  left.set(name, { ...further, loading: false });
  if (left.size > MOST_LEFT) left.delete(left.keys().next().value);
}

/**
 * A list of the service, page by page by cursor.
 * @template {OperationId} N
 * @param {N} name
 * @param {Given<N>["query"]} query
 * @param {Record<string, string>} path
 */
export function useList(name, query, path = {}, poll = 0) {
  const key = JSON.stringify([name, query, path]);
  /** @type {{key: string, rows: any[], cursor?: string, loading: boolean, problem?: any}} */
  const none = { key, rows: NO_ROWS, loading: false };
  // Of another tenant there would be another list.
  const tenant = useRef(session.tenant).current;
  const [further, setFurther] = useState(
    /** @type {typeof none} */ ((history.state?.row && left.get(`${tenant} ${key}`)) || none),
  );
  const latest = useRef(further);
  latest.current = further;
  useEffect(() => () => keep(tenant, latest.current), []);
  // Which operation it is, and so what a row has, only the caller knows.
  const page = (asked) => /** @type {Promise<any>} */ (call(name, /** @type {any} */ (asked)));
  const first = useAnswer((signal) => page({ ...path, query, signal }), key, poll);
  const later = further.key === key ? further : none;
  const cursor = later.rows.length ? later.cursor : first.data?.nextCursor;
  const more = async () => {
    setFurther({ ...later, loading: true, problem: undefined });
    try {
      const next = await page({ ...path, query: { ...query, cursor } });
      setFurther({ ...none, rows: [...later.rows, ...next.results], cursor: next.nextCursor });
    } catch (problem) {
      setFurther({ ...later, loading: false, problem });
    }
  };
  /** @type {Row<N>[]} */
  const rows = useMemo(() => {
    const known = new Set(first.data?.results.map((row) => row.id ?? row.uniqueId));
    const rest = later.rows.filter((row) => !known.has(row.id ?? row.uniqueId ?? row));
    return first.data && (rest.length ? [...first.data.results, ...rest] : first.data.results);
  }, [first.data, later.rows]);
  return {
    ...first,
    rows,
    total: first.data?.totalResults,
    cursor,
    more,
    moreLoading: later.loading,
    moreProblem: later.problem,
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
