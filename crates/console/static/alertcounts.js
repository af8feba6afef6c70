// How many alerts there are: by state and status for the board, by hour and state for the chart.

import { call, terms } from "./api.js";
import { useAnswer, useEffect, useRef } from "./hooks.js";
import { HOUR, millis, wire } from "./time.js";

/** The hours of the chart. */
export const HOURS = 24;

/** Counts are read at most this often while alerts change, in milliseconds. */
const PAUSE = 2000;

/** Calls `work` soon, and not again before the pause is over. */
function useThrottled(work) {
  const timer = useRef(0);
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ||= setTimeout(() => {
      timer.current = 0;
      latest.current();
    }, PAUSE);
  };
}

/** The counts of alerts that a filter finds: `{total, critical, unacknowledged}`. */
export function useFigures(filter, poll) {
  const answer = useAnswer(
    (signal) => call("countAlerts", { signal, query: { by: "state,status", queryString: filter } }),
    filter,
    poll,
  );
  const sum = (of) => answer.data?.results.filter(of).reduce((all, one) => all + one.count, 0);
  return {
    problem: answer.problem,
    reload: answer.reload,
    total: answer.key === filter ? answer.data?.total : undefined,
    critical: sum((one) => one.state === "Critical" && one.status !== "Closed"),
    unacknowledged: sum((one) => one.status === "New"),
    refresh: useThrottled(answer.reload),
  };
}

/**
 * The counts of the last hours, by state: `hours` are `{from, counts}`, the oldest first. After a change only those of
 * this hour are read.
 */
export function useHours(pairs, poll) {
  const hour = Math.floor(Date.now() / HOUR) * HOUR;
  const first = hour - (HOURS - 1) * HOUR;
  const read = (from, signal = /** @type {AbortSignal | undefined} */ (undefined)) =>
    call("countAlerts", {
      signal,
      query: { by: "state,hour", queryString: terms({ ...pairs, startDate: wire(from) }) },
    });
  const key = JSON.stringify([hour, pairs]);
  const answer = useAnswer((signal) => read(first, signal), key, poll);
  const refresh = useThrottled(async () => {
    try {
      const now = await read(hour);
      if (!answer.data || answer.key !== key) return;
      const before = answer.data.results.filter((one) => millis(one.hour) < hour);
      answer.put({ ...answer.data, results: [...now.results, ...before] });
    } catch {
      answer.reload();
    }
  });
  const hours = Array.from({ length: HOURS }, (_, place) => {
    const from = first + place * HOUR;
    /** @type {Record<string, number>} */
    const counts = {};
    for (const one of answer.data?.results || [])
      if (millis(one.hour) === from && one.state) counts[one.state] = (counts[one.state] || 0) + one.count;
    return { from, counts };
  });
  return { hours, there: Boolean(answer.data), problem: answer.problem, reload: answer.reload, refresh };
}
