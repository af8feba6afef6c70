// Addresses: every screen and filter has one, and an address is all that a screen needs.

import { useLayoutEffect, useState } from "./vendor/preact-htm.js";
import { session } from "./api.js";

const BASE = "/console/";
const listeners = new Set();

/** The current address: the parts of the path below /console/, and the query. */
export function here() {
  const parts = location.pathname.slice(BASE.length).split("/").filter(Boolean).map(decode);
  return { parts, query: new URLSearchParams(location.search) };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a screen; it keeps the tenant that is looked at. */
export function link(path, query = {}) {
  const parameters = new URLSearchParams();
  if (session.tenant !== session.home) parameters.set("tenant", session.tenant);
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value);
  const steps = [path].flat().map(encodeURIComponent).join("/");
  return BASE + steps + (parameters.size ? `?${parameters}` : "");
}

/**
 * The key of the address to return to after signing in, and how long it is valid, in milliseconds: as long as a sign-in
 * link.
 */
const LEFT = "left";
const OF_USE = 10 * 60e3;

/** Stores the current address, to return to it after signing in. */
export function rememberAddress() {
  if (location.pathname !== BASE) localStorage.setItem(LEFT, `${Date.now()} ${location.pathname}${location.search}`);
}

/** Returns to the stored address after signing in. */
export function restoreAddress() {
  const [at, address] = (localStorage.getItem(LEFT) || "").split(/ (.*)/);
  localStorage.removeItem(LEFT);
  if (location.pathname === BASE && address?.startsWith(BASE) && Date.now() - Number(at) < OF_USE)
    history.replaceState(null, "", address);
}

export function go(address, replace = false) {
  if (address === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", address);
  for (const listener of listeners) listener();
}

/** Changes filters in the address; an empty value removes one. */
export function refine(changes) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) value ? query.set(name, value) : query.delete(name);
  go(location.pathname + (query.size ? `?${query}` : ""), true);
}

export function useRoute() {
  const [route, set] = useState(here);
  useLayoutEffect(() => {
    const listener = () => set(here());
    listeners.add(listener);
    addEventListener("popstate", listener);
    return () => {
      listeners.delete(listener);
      removeEventListener("popstate", listener);
    };
  }, []);
  return route;
}

// Links of ours change the page without leaving it; with a key held they do what links do.
document.addEventListener("click", (event) => {
  const anchor = /** @type {HTMLAnchorElement} */ (/** @type {Element} */ (event.target).closest?.("a[href]"));
  if (
    !anchor ||
    event.defaultPrevented ||
    event.button ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  if (anchor.target || anchor.origin !== location.origin || !anchor.pathname.startsWith(BASE)) return;
  event.preventDefault();
  // After going back, the row has the focus again.
  if (anchor.matches(".row-link")) history.replaceState({ row: anchor.pathname + anchor.search }, "");
  // The panel of a row is above the list.
  if (anchor.matches(".row-link") && anchor.pathname === location.pathname) scrollTo(0, 0);
  go(anchor.pathname + anchor.search);
});
