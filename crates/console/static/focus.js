// The focus when the element that has it is removed. Its table, its panel or the heading of the page takes the focus,
// never another row, which could be mistaken for the removed one. `j` and `k` go on from the position of that row.

/** The element that had the focus last, and the elements around it, innermost first. */
let last;
let containers = [];
let rowIndex = -1;

const rows = () => [...document.querySelectorAll("main a.row-link")];

/** The index of the row that had the focus last; -1 for none. */
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

/** Watches the focus from now on. */
export function installFocusKeeper() {
  document.addEventListener("focusin", (event) => {
    last = /** @type {Element} */ (event.target);
    containers = [last.closest("table"), last.closest(".panel")];
    const row = last.closest("tbody tr");
    rowIndex = row ? Number(row.ariaRowIndex) - 2 : -1;
    if (row && rowIndex < 0) rowIndex = rows().findIndex((link) => link.closest("tr") === row);
  });
  new MutationObserver(restoreFocus).observe(document.body, { childList: true, subtree: true });
}
