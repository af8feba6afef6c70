// Where the focus is, for whoever uses keys: what had it may go when something was done, or on its own. Then what it
// was in has it, a table, a panel or the page, and no other row, which somebody could take for the one that was there;
// `j` and `k` go on from where that was.

/** What had the focus last, and what it was in, from the inside. */
let last;
let containers = [];
let rowIndex = -1;

const rows = () => [...document.querySelectorAll("main a.row-link")];

/** Which row had the focus last, by its number; -1 for none. */
export const lastRow = () => rowIndex;

function restoreFocus() {
  if (!last || last.isConnected || document.activeElement !== document.body || document.querySelector("dialog[open]"))
    return;
  last = undefined;
  const before = rowIndex;
  const near = containers.find((one) => one?.isConnected);
  /** @type {HTMLElement} */
  const to = near?.querySelector(":scope > .panel-head h2") || near || document.querySelector("main h1");
  if (to) to.tabIndex = -1;
  to?.focus({ preventScroll: true });
  rowIndex = before;
}

/** From now on. */
export function installFocusKeeper() {
  document.addEventListener("focusin", (event) => {
    last = /** @type {Element} */ (event.target);
    containers = [last.closest("table"), last.closest(".panel")];
    const row = last.closest("tbody tr");
    rowIndex = row ? rows().findIndex((link) => link.closest("tr") === row) : -1;
  });
  new MutationObserver(restoreFocus).observe(document.body, { childList: true, subtree: true });
}
