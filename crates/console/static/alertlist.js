// The alerts of the board: read page by page, and after a change only those that changed.

import { call, session, terms } from "./api.js";
import { MOST_AGAIN, MOST_REACHED, useAnswer, useEffect, useRef, useState, withRows } from "./hooks.js";

/** The states, the worst first. */
export const SEVERITIES = ["Critical", "Warning", "Info", "Ok"];

/** How many alerts a page has, and a later one at most. */
const PAGE = 50;
const MOST_PAGE = 200;

/** Of more alerts than these that changed at once, the page is read again. */
const MOST_CHANGED = 50;

/** The pause after so many were read again, in milliseconds; of fewer it is shorter. */
const PAUSE = 2500;

/** @typedef {{part: number, cursor?: string}} Position which part of the list is read next, and from where */

/**
 * A list of alerts: its filter without the states, those of the filter, and the order: `severity` is the worst first,
 * of the same the oldest first; anything else is the newest first.
 * @typedef {{pairs: Record<string, string>, states: string[], order: string}} Board
 */

/** The filters of the parts that the list is read in: by severity the service does not order, so each has its part. */
function partsOf({ pairs, states, order }) {
  if (order !== "severity") return [terms({ ...pairs, state: states.join(",") })];
  return SEVERITIES.filter((state) => !states.length || states.includes(state)).map((state) =>
    terms({ ...pairs, state }),
  );
}

/** The part of an alert. */
function partOf({ states, order }, alert) {
  if (order !== "severity") return 0;
  return SEVERITIES.filter((state) => !states.length || states.includes(state)).indexOf(alert.currentState);
}

const text = (alert) => `${alert.createdDate} ${alert.id}`;

/** Which of two alerts stands first. */
function compare(board, one, other) {
  const parts = partOf(board, one) - partOf(board, other);
  if (parts || one.id === other.id) return parts;
  const older = text(one) < text(other) ? -1 : 1;
  return board.order === "severity" ? older : -older;
}

/**
 * Reads so many alerts from a position.
 * @param {Board} board
 * @param {Position} from
 * @returns {Promise<{rows: any[], at: Position | undefined}>} with where the list goes on.
 */
async function readRows(board, from, most, signal = /** @type {AbortSignal | undefined} */ (undefined)) {
  const parts = partsOf(board);
  const rows = /** @type {any[]} */ ([]);
  let { part, cursor } = from;
  while (part < parts.length && rows.length < most) {
    const page = await call("searchAlerts", {
      signal,
      query: {
        queryString: parts[part],
        pageSize: most - rows.length,
        cursor,
        isDescendingOrder: /** @type {any} */ (board.order === "severity" ? "false" : undefined),
      },
    });
    rows.push(...page.results);
    cursor = page.nextCursor;
    if (!cursor) part += 1;
  }
  return { rows, at: part < parts.length ? { part, cursor } : undefined };
}

/** Whether an alert has its place among those that were read, and not behind them. */
function isWithin(board, { rows, at }, alert) {
  if (!at || !rows.length) return true;
  const part = partOf(board, alert);
  if (part !== at.part) return part < at.part;
  return Boolean(at.cursor) && compare(board, alert, rows[rows.length - 1]) <= 0;
}

/**
 * Which alerts may have their place among those that were read, as far as their ids say: ids are in the order of time.
 */
function withinByIds(board, data, ids) {
  if (!data?.at || data.at.part > 0 || !data.rows.length) return ids;
  const isWorst = board.order === "severity";
  const last = data.rows.reduce((far, { id }) => (isWorst === id > far ? id : far), data.rows[0].id);
  return ids.filter((id) => (isWorst ? id <= last : id >= last));
}

/** @typedef {{ids: Set<string>, all: boolean, busy: boolean}} Waiting what is read again next */

/** The list after these alerts changed; `found` are those of them that it has now. */
function merged(board, data, ids, found) {
  const rows = data.rows.filter((row) => !ids.has(row.id));
  for (const alert of found.filter((one) => isWithin(board, data, one))) {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(board, rows[middle], alert) < 0) low = middle + 1;
      else high = middle;
    }
    rows.splice(low, 0, alert);
  }
  return { ...data, rows };
}

/** Whether the beginning of a list as it was read again ends in the list as it was, or behind it. */
function reaches(board, start, before) {
  const [end, last] = [start, before].map(({ rows }) => rows[rows.length - 1]);
  return compare(board, end, last) >= 0 || before.rows.some((row) => row.id === end.id);
}

/**
 * The beginning of a list as it was read again, with the rest of it as it was: what of that is `unsure` is read again
 * when it is seen.
 */
function withRest(board, { rows, at }, before) {
  const there = new Set(rows.map((row) => row.id));
  const isRest = (row) => !there.has(row.id) && compare(board, row, rows[rows.length - 1]) > 0;
  const rest = before.rows.filter(isRest);
  if (!rest.length) return { rows, at, start: before.start };
  return { ...before, rows: [...rows, ...rest], unsure: new Set(rest.map((row) => row.id)) };
}

/** The list that was left last: going back shows as much of it. */
let left = { key: "", tenant: "", data: /** @type {any} */ (undefined) };

/**
 * The list of a board. Of its rows those with `sending` wait for an answer of the service.
 * @param {Board} board
 */
export function useAlerts(board, poll) {
  const key = JSON.stringify(board);
  const tenant = useRef(session.tenant).current;
  const kept = history.state?.row && left.key === key && left.tenant === tenant ? left.data : undefined;
  const want = useRef({ key, rows: Math.max(PAGE, kept?.rows.length || 0) });
  if (want.current.key !== key) want.current = { key, rows: PAGE };
  const latest = useRef({ key, data: /** @type {any} */ (undefined) });
  // While the list is read, changes wait: what is read may be older than they are.
  const reading = useRef(0);
  // While more of it is read, what is read again keeps the rows that this follows.
  const readingMore = useRef(0);
  const read = async (signal) => {
    reading.current += 1;
    try {
      const asked = Math.min(MOST_AGAIN, want.current.rows);
      const before = () => latest.current.data || kept;
      const isMore = () => before() && (readingMore.current || want.current.rows > asked);
      let start = await readRows(board, { part: 0 }, asked, signal);
      while (start.at && isMore() && !reaches(board, start, before()) && start.rows.length < MOST_REACHED) {
        const next = await readRows(board, start.at, PAGE, signal);
        start = { rows: withRows(start.rows, next.rows), at: next.at };
      }
      if (start.at && isMore() && reaches(board, start, before())) return withRest(board, start, before());
      // Of a list that is begun anew as much stays as it has then.
      if (isMore()) want.current.rows = start.rows.length;
      return { ...start, start: {} };
    } finally {
      reading.current -= 1;
    }
  };
  const answer = useAnswer(read, key, poll);
  latest.current = { key, data: answer.key === key ? answer.data : /** @type {any} */ (undefined) };
  const [more, setMore] = useState({ loading: false, problem: /** @type {any} */ (undefined) });
  const put = (data) => {
    latest.current.data = data;
    answer.put(data);
  };
  const change = (row) => {
    const { data } = latest.current;
    if (data) put({ ...data, rows: data.rows.map(row) });
  };
  const waiting = useRef(/** @type {Waiting} */ ({ ids: new Set(), all: false, busy: false }));

  /** Reads alerts again: those that wait, or all. @returns how many milliseconds the next reading waits. */
  const readAgain = async (/** @type {Waiting} */ mine) => {
    const some = new Set(withinByIds(board, latest.current.data, [...mine.ids]));
    mine.ids.clear();
    if (mine.all || some.size > MOST_CHANGED) {
      mine.all = false;
      await answer.reload();
      return some.size ? PAUSE : 0;
    }
    if (!some.size) return 0;
    const pairs = { ...board.pairs, state: board.states.join(","), id: [...some].join(",") };
    const page = await call("searchAlerts", { query: { queryString: terms(pairs), pageSize: some.size } });
    const { data } = latest.current;
    if (latest.current.key !== key || !data) return 0;
    if (reading.current) {
      some.forEach((id) => mine.ids.add(id));
      return 0;
    }
    const next = merged(board, data, some, page.results);
    put(next);
    const { length } = next.rows;
    const { rows } = want.current;
    if (rows > MOST_AGAIN) want.current.rows = length;
    else if (next.at && (length < rows / 2 || length > rows + PAGE)) mine.all = true;
    return (PAUSE * some.size) / MOST_CHANGED;
  };

  /** Reads again the alerts of these ids, or without ids all; those that change meanwhile are read together. */
  const refresh = async (/** @type {Set<string> | undefined} */ ids) => {
    const mine = waiting.current;
    ids?.forEach((id) => mine.ids.add(id));
    if (!ids) mine.all = true;
    if (mine.busy || (ids && (!latest.current.data || reading.current))) return;
    mine.busy = true;
    try {
      while (mine.ids.size || mine.all) {
        const pause = await readAgain(mine);
        if (pause) await new Promise((done) => setTimeout(done, pause));
        if (reading.current && !mine.all) return;
      }
    } catch {
      // What was missed is read again with the rest, which says what is wrong.
      answer.reload();
    } finally {
      mine.busy = false;
    }
  };

  useEffect(() => {
    if (waiting.current.ids.size && !reading.current) refresh(new Set());
  }, [answer.data, answer.problem]);

  useEffect(
    () => () => {
      left = { ...latest.current, tenant };
    },
    [],
  );

  const readMore = async () => {
    const { data } = latest.current;
    if (!data?.at) return;
    setMore({ loading: true, problem: undefined });
    readingMore.current += 1;
    try {
      const next = await readRows(board, data.at, Math.min(MOST_PAGE, Math.max(PAGE, data.rows.length)));
      const now = latest.current.data;
      if (now?.start === data.start) {
        const rows = withRows(now.rows, next.rows);
        want.current.rows = rows.length;
        put({ ...now, rows, at: next.at });
      }
      setMore({ loading: false, problem: undefined });
    } catch (problem) {
      setMore({ loading: false, problem });
    } finally {
      readingMore.current -= 1;
    }
  };

  return {
    ...answer,
    rows: answer.data?.rows,
    cursor: answer.data?.at,
    more: readMore,
    moreLoading: more.loading,
    moreProblem: more.problem,
    refresh,
    /** Reads again what is seen and may be out of date. */
    seen: (rows) => {
      const { unsure } = latest.current.data || {};
      if (!unsure?.size || waiting.current.busy || reading.current) return;
      const ids = rows.map((row) => row.id).filter((id) => unsure.has(id));
      if (!ids.length) return;
      const next = new Set(ids.slice(0, MOST_CHANGED));
      next.forEach((id) => unsure.delete(id));
      refresh(next);
    },
    /** Marks alerts of which an action waits for its answer. */
    mark: (alerts) => {
      const ids = new Set(alerts.map((alert) => alert.id));
      change((row) => (ids.has(row.id) ? { ...row, sending: true } : row));
    },
    /** Shows alerts as the service answered; those of which it stored nothing are as they were. */
    settle: (alerts, stored) => {
      const before = new Map(alerts.map((alert) => [alert.id, alert]));
      change((row) => stored.get(row.id) || (row.sending && before.get(row.id)) || row);
      refresh(new Set(before.keys()));
    },
  };
}
