// The alerts of the board: read page by page, and after a change only those that changed.

import { call, terms } from "./api.js";
import { useAnswer, useEffect, useRef, useState } from "./hooks.js";

/** The states, the worst first. */
export const SEVERITIES = ["Critical", "Warning", "Info", "Ok"];

/** How many alerts a page has. */
const PAGE = 50;

/** Of more alerts than these that changed at once, the page is read again. */
const MOST_CHANGED = 50;

/** The pause after so many were read again, in milliseconds; of fewer it is shorter. */
const PAUSE = 2500;

/** How many alerts are read again at most when all that is shown is. */
const MOST_AGAIN = 200;

/** @typedef {{part: number, cursor?: string}} Position which part of the list is read next, and from where */

/**
 * A list of alerts: its filter without the states, those of the filter, and the order: `severity` is the worst first, of
 * the same the oldest first; anything else is the newest first.
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
 * Whether an alert may have its place among those that were read, as far as its id says: ids are in the order of time.
 */
function mayBeWithin(board, data, id) {
  if (!data?.at || data.at.part > 0 || !data.rows.length) return true;
  const isBefore = (row) => (board.order === "severity" ? id <= row.id : id >= row.id);
  return data.rows.some(isBefore);
}

/** @typedef {{ids: Set<string>, all: boolean, busy: boolean}} Waiting what is read again next */

/** The list after these alerts changed; `found` are those of them that it has now. */
function merged(board, data, ids, found) {
  const rows = data.rows.filter((row) => !ids.has(row.id));
  const added = found.filter((alert) => isWithin(board, data, alert));
  return { ...data, rows: [...rows, ...added].sort((one, other) => compare(board, one, other)) };
}

/**
 * The list of a board. Of its rows those with `sending` wait for an answer of the service.
 * @param {Board} board
 */
export function useAlerts(board, poll) {
  const key = JSON.stringify(board);
  const want = useRef({ key, rows: PAGE });
  if (want.current.key !== key) want.current = { key, rows: PAGE };
  // While the list is read, changes wait: what is read may be older than they are.
  const reading = useRef(0);
  const read = async (signal) => {
    reading.current += 1;
    try {
      return await readRows(board, { part: 0 }, want.current.rows, signal);
    } finally {
      reading.current -= 1;
    }
  };
  const answer = useAnswer(read, key, poll);
  const latest = useRef({ key, data: answer.data });
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
    const some = new Set([...mine.ids].filter((id) => mayBeWithin(board, latest.current.data, id)));
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
    if (next.at && (length < want.current.rows / 2 || length > want.current.rows + PAGE)) mine.all = true;
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

  const readMore = async () => {
    const { data } = latest.current;
    if (!data?.at) return;
    setMore({ loading: true, problem: undefined });
    try {
      const next = await readRows(board, data.at, PAGE);
      if (latest.current.key !== key) return;
      const known = new Set(latest.current.data.rows.map((row) => row.id));
      const rows = [...latest.current.data.rows, ...next.rows.filter((row) => !known.has(row.id))];
      want.current.rows = Math.min(MOST_AGAIN, rows.length);
      put({ rows, at: next.at });
      setMore({ loading: false, problem: undefined });
    } catch (problem) {
      setMore({ loading: false, problem });
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
