// The numbers beside entries of the menu: alerts that nobody has acknowledged, and open incidents.

import { call, onState, session, terms } from "./api.js";
import { useChangeStream } from "./changestream.js";
import { useEffect, useEvery, useLayoutEffect, useRef, useState } from "./hooks.js";

/** How often they are read while the page is visible, and how long after a change, in milliseconds. */
const EVERY = 60e3;
const PAUSE = 2000;

/** The first screen comes first. */
const FIRST = 1500;

/** @type {Record<string, number>} */
let counts = {};
const listeners = new Set();

function put(now) {
  counts = now;
  for (const listener of listeners) listener(now);
}

/** The numbers, by the path of the screen. */
export function useCounts() {
  const [now, set] = useState(counts);
  useLayoutEffect(() => {
    listeners.add(set);
    return () => listeners.delete(set);
  }, []);
  return now;
}

/** Reads the numbers now and then, and soon after something changed. */
export function useCountReading() {
  const timer = useRef(0);
  const read = async () => {
    const { tenant } = session;
    try {
      const [alerts, incidents] = await Promise.all([
        call("countAlerts", { query: { by: "status", queryString: terms({ status: "New" }) } }),
        call("searchIncidents", { query: { queryString: terms({ status: "New,Open,Pending" }), pageSize: 1 } }),
      ]);
      if (tenant === session.tenant) put({ alerts: alerts.total, incidents: incidents.totalResults });
    } catch {
      // What is not known is not shown; the screens say what is wrong.
      put({});
    }
  };
  const soon = (milliseconds) => {
    timer.current ||= setTimeout(() => {
      timer.current = 0;
      read();
    }, milliseconds);
  };
  useEffect(() => {
    put({});
    soon(FIRST);
  }, [session.tenant]);
  useLayoutEffect(() => onState(({ wrote }) => wrote && soon(PAUSE)), []);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEvery(EVERY, read);
  useChangeStream(["ALERT", "INCIDENT"], () => soon(PAUSE), true);
}
