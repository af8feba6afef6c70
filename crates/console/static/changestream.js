// The stream of changes: one for the whole page. Browsers reconnect it by themselves.

import { address, session } from "./api.js";
import { useLayoutEffect, useRef, useState } from "./hooks.js";

/** How long changes are gathered before a watcher is called, in milliseconds. */
const GATHER = 150;

const watchers = new Set();
let source;
let tenant;
let live = false;

function dispatch(entity, id) {
  for (const watcher of watchers) watcher.onChange(entity, id);
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
  source.addEventListener("change", (event) => {
    const { entity, entityId } = JSON.parse(event.data);
    dispatch(entity, entityId);
  });
  source.addEventListener("reset", () => dispatch(undefined));
}

function removeWatcher(watcher) {
  watchers.delete(watcher);
  if ([...watchers].some((other) => !other.passive)) return;
  source?.close();
  source = undefined;
  live = false;
}

/**
 * Calls `work(ids)` soon after something of these kinds changed, with the ids of what did; without them where the
 * stream missed changes. One that is `passive` listens while others keep the stream open: browsers keep few connections
 * to a service. @returns whether the stream is open.
 */
export function useChangeStream(entities, work, passive = false) {
  const latest = useRef(work);
  latest.current = work;
  const [isLive, set] = useState(live);
  useLayoutEffect(() => {
    let timer;
    let missed = false;
    let ids = new Set();
    const soon = () => {
      timer ??= setTimeout(() => {
        const changed = missed ? undefined : ids;
        [timer, missed, ids] = [undefined, false, new Set()];
        latest.current(changed);
      }, GATHER);
    };
    const onChange = (entity, id) => {
      if (entity && !entities.includes(entity)) return;
      if (id) ids.add(id);
      else missed = true;
      soon();
    };
    const watcher = { onLive: set, onChange, passive };
    watchers.add(watcher);
    if (!passive) open();
    return () => {
      clearTimeout(timer);
      removeWatcher(watcher);
    };
  }, [session.tenant]);
  return isLive;
}
