// The stream of changes: one for the whole page. Browsers reconnect it by themselves.

import { address, session } from "./api.js";
import { useEffect, useRef, useState } from "./hooks.js";

/** How long changes are gathered before a watcher is called, in milliseconds. */
const GATHER = 150;

const watchers = new Set();
let source;
let tenant;
let live = false;

function dispatch(entity) {
  for (const watcher of watchers) watcher.onChange(entity);
}

function setLive(now) {
  live = now;
  for (const watcher of watchers) watcher.onLive(now);
}

function open() {
  if (source && tenant === session.tenant) return;
  source?.close();
  tenant = session.tenant;
  source = new EventSource(address("watchChanges"));
  source.addEventListener("open", () => setLive(true));
  source.addEventListener("error", () => setLive(false));
  source.addEventListener("change", (event) => dispatch(JSON.parse(event.data).entity));
  source.addEventListener("reset", () => dispatch(undefined));
}

function removeWatcher(watcher) {
  watchers.delete(watcher);
  if (watchers.size) return;
  source?.close();
  source = undefined;
  live = false;
}

/** Calls back soon after something of these kinds changed. @returns whether the stream is open. */
export function useChangeStream(entities, work) {
  const latest = useRef(work);
  latest.current = work;
  const [isLive, set] = useState(live);
  useEffect(() => {
    let timer;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, GATHER);
    };
    const watcher = { onLive: set, onChange: (entity) => (!entity || entities.includes(entity)) && soon() };
    watchers.add(watcher);
    open();
    return () => {
      clearTimeout(timer);
      removeWatcher(watcher);
    };
  }, [session.tenant]);
  return isLive;
}
