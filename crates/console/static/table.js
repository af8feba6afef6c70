// Tables of lists, with keys that move through the rows.

import { Button, Empty, Loading, Trouble, count, html } from "./elements.js";
import { lastRow } from "./focus.js";
import { isTyping } from "./form.js";
import { useEffect, useRef } from "./hooks.js";

/** How long words such as "4 min ago" stay as they are, in milliseconds. */
const STAYS = 15e3;

/**
 * Rows as they were drawn: one that has not changed is not drawn again, so that a key that chooses one of many is
 * answered at once. What a row shows comes of it, of whether it is chosen, of what else is named, of the address and of
 * the time.
 */
function useRowCache() {
  const kept = useRef(new WeakMap());
  return (row, chosen, also, draw) => {
    const stamp = `${also} ${Boolean(chosen)} ${location.search} ${Math.floor(Date.now() / STAYS)}`;
    const before = kept.current.get(row);
    if (before?.stamp === stamp) return before.drawn;
    const now = { stamp, drawn: draw() };
    kept.current.set(row, now);
    return now.drawn;
  };
}

/**
 * A table of a list. A column is `{title, cell(row), keep}`; `keep` 2 and 3 are left out on narrow screens. Rows are
 * gone through with `j` and `k`; `keys` has what other keys do with the row that has the focus. When `also` is another
 * one, all rows are drawn again. `kind(row)` is the class of a row.
 * @param {any} given
 */
export function Rows({
  list,
  columns,
  label,
  href,
  select,
  keys = {},
  empty,
  also = "",
  id = (row) => row.id,
  kind = (/** @type {any} */ _row) => "",
}) {
  const body = useRef(null);
  const drawn = useRowCache();
  useEffect(() => {
    const pressed = (event) => {
      if (isTyping(event) || document.querySelector("dialog[open]")) return;
      const links = [...(body.current?.querySelectorAll("a.row-link") || [])];
      const at = links.findIndex((anchor) => anchor.closest("tr").contains(document.activeElement));
      if (event.key === "j" || event.key === "k") {
        // Where a row went, the next one has its place.
        const from = at < 0 && lastRow() >= 0 ? lastRow() - (event.key === "j" ? 1 : 0) : at;
        const next =
          event.key === "j" ? Math.min(from + 1, links.length - 1) : Math.min(Math.max(from - 1, 0), links.length - 1);
        links[next]?.focus();
        links[next]?.scrollIntoView({ block: "nearest" });
        event.preventDefault();
      } else if (keys[event.key]) {
        event.preventDefault();
        keys[event.key](at < 0 ? undefined : list.rows[at]);
      }
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  });
  useEffect(() => {
    const row = history.state?.row;
    if (!row || !body.current || !/^(BODY|H1)$/.test(document.activeElement?.tagName || "")) return;
    const anchor = [...body.current.querySelectorAll("a.row-link")].find((one) => one.pathname + one.search === row);
    anchor?.focus();
    anchor?.scrollIntoView({ block: "center" });
  }, [Boolean(list.rows?.length)]);
  if (list.problem && !list.rows) return html`<${Trouble} problem=${list.problem} again=${list.reload} />`;
  if (!list.rows) return html`<${Loading} />`;
  if (!list.rows.length)
    return html`
      ${list.problem && html`<${Trouble} problem=${list.problem} again=${list.reload} />`}
      ${empty || html`<${Empty} title="Nothing here." />`}
    `;
  const all = select && list.rows.length > 0 && list.rows.every((row) => select.chosen.has(id(row)));
  return html`
    ${list.problem && html`<${Trouble} problem=${list.problem} again=${list.reload} />`}
    <table class=${`rows ${list.loading ? "waiting" : ""}`} aria-busy=${list.loading}>
      <caption class="hidden">${label}</caption>
      <thead>
        <tr>
          ${
            select &&
            html`<th class="tick">
              <input
                type="checkbox"
                aria-label="Select all"
                checked=${all}
                onChange=${() => select.set(all ? [] : list.rows.map(id))}
              />
            </th>`
          }
          ${columns.map(
            (column) => html`<th scope="col" class=${`k${column.keep || 1} ${column.class || ""}`}>
              ${column.title}
            </th>`,
          )}
        </tr>
      </thead>
      <tbody ref=${body}>
        ${list.rows.map((row) =>
          drawn(
            row,
            select?.chosen.has(id(row)),
            also,
            () => html`<tr key=${id(row)} class=${`${kind(row)} ${select?.chosen.has(id(row)) ? "chosen" : ""}`}>
              ${
                select &&
                html`<td class="tick">
                  <input
                    type="checkbox"
                    aria-label=${`Select ${row.subject || row.name || id(row)}`}
                    checked=${select.chosen.has(id(row))}
                    onChange=${() => select.toggle(id(row))}
                  />
                </td>`
              }
              ${columns.map(
                (column, place) => html`<td class=${`k${column.keep || 1} ${column.class || ""}`}>
                  ${
                    column.main || (place === 0 && !columns.some((other) => other.main))
                      ? html`
                          <a class="row-link" href=${href(row)}>${column.cell(row)}</a>
                          ${column.below && html`<div class="below">${column.below(row)}</div>`}
                        `
                      : column.cell(row)
                  }
                </td>`,
              )}
            </tr>`,
          ),
        )}
      </tbody>
    </table>
    <div class="foot">
      <span class="dim" role="status">${count(list.rows.length)} of ${count(list.total ?? list.rows.length)}</span>
      ${
        list.cursor &&
        html`<${Button}
          onClick=${() => list.moreLoading || list.more()}
          aria-disabled=${list.moreLoading ? "true" : undefined}
        >
          ${list.moreLoading ? "Loading…" : "Show more"}
        <//>`
      }
    </div>
    <${Trouble} problem=${list.moreProblem} />
  `;
}
