// Tables of lists, with keys that move through the rows.

import { Button, Empty, Loading, Trouble, count, html } from "./elements.js";
import { lastRow } from "./focus.js";
import { isTyping } from "./form.js";
import { useEffect, useEvery, useLayoutEffect, useListener, useMemo, useRef, useState } from "./hooks.js";
import { useMoreNearEnd, useRowWindow } from "./rowwindow.js";

/** How long words such as "4 min ago" stay as they are, in milliseconds. */
const STAYS = 15e3;

/**
 * Rows as they were drawn: one that has not changed is not drawn again, so that a key that chooses one of many is
 * answered at once. What a row shows comes of it, of whether it is chosen, of what else is named, of its place, of the
 * address and of the time. Of rows that are not drawn any more nothing is kept.
 */
function useRowCache(also) {
  const kept = useRef(new Map());
  const now = new Map();
  const stamp = `${also} ${location.search} ${Math.floor(Date.now() / STAYS)}`;
  useLayoutEffect(() => {
    kept.current = now;
  });
  return (row, chosen, place, draw) => {
    const own = `${Boolean(chosen)} ${place} ${stamp}`;
    const before = kept.current.get(row);
    const one = before?.own === own ? before : { own, drawn: draw() };
    now.set(row, one);
    return one.drawn;
  };
}

/**
 * The keys of a list: `j` and `k` go through it, `x` ticks the row that has the focus where rows can be ticked, and
 * others do with it what `keys` says.
 */
function useRowKeys(body, list, { windowed, reveal }, keys, tick) {
  const pressed = (event) => {
    if (isTyping(event) || document.querySelector("dialog[open]")) return;
    const focused = body.current?.contains(document.activeElement) && document.activeElement?.closest("tr");
    const links = () => [...body.current.querySelectorAll("a.row-link")];
    const place = () =>
      windowed ? Number(focused.ariaRowIndex) - 2 : links().findIndex((anchor) => focused.contains(anchor));
    const at = focused ? place() : -1;
    if (event.key === "j" || event.key === "k") {
      event.preventDefault();
      if (!body.current) return;
      // Where a row went, the next one has its place.
      const from = at < 0 && lastRow() >= 0 ? lastRow() - (event.key === "j" ? 1 : 0) : at;
      reveal(event.key === "j" ? Math.min(from + 1, list.rows.length - 1) : Math.max(from - 1, 0));
    } else if (keys[event.key]) {
      event.preventDefault();
      keys[event.key](at < 0 ? undefined : list.rows[at]);
    } else if (event.key === "x" && tick && at >= 0) {
      event.preventDefault();
      tick(list.rows[at]);
    }
  };
  useListener(document, "keydown", pressed);
}

/** Whether all rows are ticked. */
function useAllChosen(rows, select, id) {
  return useMemo(
    () => rows.length > 0 && select?.chosen.size >= rows.length && rows.every((row) => select.chosen.has(id(row))),
    [rows, select?.version],
  );
}

const NONE = /** @type {any[]} */ ([]);

/** Room for rows that are not drawn. */
const Space = ({ height }) =>
  html`<tr class="space" aria-hidden="true"><td style=${{ height: `${height}px` }}></td></tr>`;

/**
 * A table of a list. A column is `{title, cell(row), keep}`; `keep` 2 and 3 are left out on narrow screens. Rows are
 * gone through with `j` and `k`; `keys` has what other keys do with the row that has the focus. When `also` is another
 * one, all rows are drawn again. `kind(row)` is the class of a row. Of a long list only what is near to what is seen is
 * drawn.
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
  const foot = useRef(null);
  const rows = list.rows || NONE;
  const titles = columns.map((column) => column.title).join();
  const [, draw] = useState({});
  // Ages go on where nothing else changes.
  useEvery(STAYS, () => draw({}));
  const view = useRowWindow(body, rows, id, titles, list.seen);
  const drawn = useRowCache(`${also} ${titles}`);
  const all = useAllChosen(rows, select, id);
  useRowKeys(body, list, view, keys, select && ((row) => select.toggle(id(row))));
  useMoreNearEnd(foot, list);
  useEffect(() => {
    const address = history.state?.row;
    if (!address || !/^(BODY|H1)$/.test(document.activeElement?.tagName || "")) return;
    const place = rows.findIndex((row) => href(row) === address);
    if (place >= 0) view.reveal(place, "center");
  }, [rows.length > 0]);
  if (list.problem && !list.rows) return html`<${Trouble} problem=${list.problem} again=${list.reload} />`;
  if (!list.rows) return html`<${Loading} />`;
  if (!list.rows.length)
    return html`
      ${list.problem && html`<${Trouble} problem=${list.problem} again=${list.reload} />`}
      ${empty || html`<${Empty} title="Nothing here." />`}
    `;
  const { windowed, parts, rest } = view;
  const total = list.total ?? rows.length;
  const isChosen = (row) => select?.chosen.has(id(row));
  const rowOf = (row, place) =>
    drawn(
      row,
      isChosen(row),
      windowed ? place : "",
      () => html`<tr
        key=${id(row)}
        class=${`${kind(row)} ${isChosen(row) ? "chosen" : ""}`}
        aria-rowindex=${windowed ? place + 2 : undefined}
      >
        ${
          select &&
          html`<td class="tick">
            <input
              type="checkbox"
              aria-label=${`Select ${row.subject || row.name || id(row)}`}
              checked=${isChosen(row)}
              onChange=${() => select.toggle(id(row))}
            />
          </td>`
        }
        ${columns.map(
          (column, index) => html`<td dir="auto" class=${`k${column.keep || 1} ${column.class || ""}`}>
            ${
              column.main || (index === 0 && !columns.some((other) => other.main))
                ? html`
                    <a class="row-link" dir="auto" href=${href(row)}>${column.cell(row)}</a>
                    ${column.below && html`<div class="below" dir="auto">${column.below(row)}</div>`}
                  `
                : column.cell(row)
            }
          </td>`,
        )}
      </tr>`,
    );
  return html`
    ${list.problem && html`<${Trouble} problem=${list.problem} again=${list.reload} />`}
    <table
      class=${`rows ${list.loading ? "waiting" : ""} ${windowed ? "windowed" : ""}`}
      aria-busy=${list.loading}
      aria-rowcount=${windowed ? total + 1 : undefined}
    >
      <caption class="hidden">${label}</caption>
      <thead>
        <tr aria-rowindex=${windowed ? 1 : undefined}>
          ${
            select &&
            html`<th class="tick">
              <input
                type="checkbox"
                aria-label="Select all"
                checked=${all}
                onChange=${() => select.set(all ? [] : rows.map(id))}
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
        ${parts.flatMap(({ space, from, to }) => [
          space > 0 && html`<${Space} key=${`space before ${from}`} height=${space} />`,
          ...rows.slice(from, to).map((row, place) => rowOf(row, from + place)),
        ])}
        ${rest > 0 && html`<${Space} height=${rest} />`}
      </tbody>
    </table>
    <div class="foot" ref=${foot}>
      <span class="dim" role="status">${count(rows.length)} of ${count(total)}</span>
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
