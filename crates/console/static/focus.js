// Where the focus is, for whoever uses keys: what had it may go when something was done, or on its own. Then the head of the page has it, and no other row, which
// somebody could take for the one that was there; `j` and `k` go on from where that was.

/** What had the focus last. */
let last;
let place = -1;

const rows = () => [...document.querySelectorAll("main a.row-link")];

/** Which row had the focus last, by its number; -1 for none. */
export const lastRow = () => place;

function keep() {
  if (!last || last.isConnected || document.activeElement !== document.body || document.querySelector("dialog[open]")) return;
  last = undefined;
  const before = place;
  /** @type {HTMLElement} */ (document.querySelector("main h1"))?.focus({ preventScroll: true });
  place = before;
}

/** From now on. */
export function keepFocus() {
  document.addEventListener("focusin", (event) => {
    last = /** @type {Element} */ (event.target);
    const row = last.closest("tbody tr");
    place = row ? rows().findIndex((link) => link.closest("tr") === row) : -1;
  });
  new MutationObserver(keep).observe(document.body, { childList: true, subtree: true });
}
