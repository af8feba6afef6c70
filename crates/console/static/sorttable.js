// Tables of figures, sorted by the column that one presses.

import { Button, count, html } from "./elements.js";
import { useState } from "./hooks.js";

/** How many rows are shown at first. */
const FEW = 25;

/**
 * A column: what `sort` calls it, its title, the title of the columns that it stands under with others, what a row is
 * sorted by, and what it shows. Numbers, and what `falls`, are sorted from the largest on at first.
 * @typedef {{
 *   id: string, title: string, group?: string, number?: boolean, value: (row: any) => any, cell?: (row: any) => any,
 *   class?: string, falls?: boolean,
 * }} SortColumn
 */

/** Rows in the order of `sort`: the id of a column, with `-` the largest first. What has no value comes last. */
export function sorted(rows, columns, sort) {
  const column = columns.find((one) => one.id === sort.replace("-", ""));
  if (!column) return rows;
  const sign = sort.startsWith("-") ? -1 : 1;
  const compare = (one, other) => {
    const [left, right] = [column.value(one), column.value(other)];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    return sign * (typeof left === "number" ? left - right : String(left).localeCompare(String(right)));
  };
  return [...rows].sort(compare);
}

/** The head of a column: a button that sorts by it. */
function SortHead({ column, sort, onSort, rows }) {
  const { id, title, group, number, falls: first = number } = column;
  const by = sort.replace("-", "") === id;
  const falls = by && sort.startsWith("-");
  const next = by ? !falls : first;
  return html`<th
    scope="col"
    rowspan=${rows}
    class=${number ? "number" : ""}
    aria-sort=${by ? (falls ? "descending" : "ascending") : undefined}
  >
    <button
      type="button"
      class="link sort"
      aria-label=${group ? `${title}, ${group}` : undefined}
      onClick=${() => onSort(next ? `-${id}` : id)}
    >
      ${title}<span aria-hidden="true">${by ? (falls ? " ▼" : " ▲") : ""}</span>
    </button>
  </th>`;
}

/**
 * A table; its first column is the name of a row. `rows` come in the order of `sort`.
 * @param {{label: string, columns: SortColumn[], rows: any[], sort: string, onSort: (sort: string) => void}} given
 */
export function SortTable({ label, columns, rows, sort, onSort }) {
  const [all, setAll] = useState(false);
  const grouped = columns.some((column) => column.group);
  const head = (column, rowspan) => html`<${SortHead} ...${{ column, sort, onSort, rows: rowspan }} />`;
  const top = columns.map((column, at) => {
    const { group } = column;
    if (!group) return head(column, grouped ? "2" : undefined);
    if (columns[at - 1]?.group === group) return null;
    const many = columns.filter((other) => other.group === group).length;
    return html`<th scope="colgroup" colspan=${many} class="over">${group}</th>`;
  });
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${label}>
      <table class="plain unbroken sorts">
        <caption class="hidden">${label}</caption>
        <thead>
          <tr>${top}</tr>
          ${grouped && html`<tr>${columns.map((column) => column.group && head(column))}</tr>`}
        </thead>
        <tbody>
          ${(all ? rows : rows.slice(0, FEW)).map(
            (row) => html`<tr>
              ${columns.map((column, at) => {
                const shown = column.cell ? column.cell(row) : column.value(row);
                return at
                  ? html`<td class=${`${column.number ? "number" : ""} ${column.class || ""}`}>${shown}</td>`
                  : html`<th scope="row" dir="auto">${shown}</th>`;
              })}
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${
      rows.length > FEW &&
      html`<p class="foot">
        <${Button} onClick=${() => setAll(!all)}>${all ? `Show ${FEW}` : `Show all ${count(rows.length)}`}<//>
      </p>`
    }
  `;
}
