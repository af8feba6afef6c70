// How long people are on call, by category: as a chart, as a table, and as a file for payroll.

import { call } from "./api.js";
import { StackedBars } from "./barchart.js";
import { ExportDialog } from "./csvexport.js";
import { Button, Empty, Loading, Panel, Trouble, html } from "./elements.js";
import { Choice } from "./form.js";
import { useAnswer, useState } from "./hooks.js";
import { SortTable, sorted } from "./sorttable.js";
import { wire } from "./time.js";

/** How many months may be chosen: this one, and those before it. */
const MONTHS = 13;

/** The categories of hours, each with its colour. */
const CATEGORIES = [
  ["working", "blue"],
  ["evening", "amber"],
  ["night", "violet"],
  ["weekend", "green"],
  ["holiday", "red"],
];

/** What has a row each, by the word of `by`. */
export const HOURS_BY = { user: "Person", group: "User group", roster: "Roster" };

/** What a row is of. While another answer is on its way, it may be of the kind before. */
const nameOf = (row) => row.user?.loginName || row.roster?.name || row.userGroup?.name || "No group";
const idOf = (row) => row.user?.id || row.userGroup?.uniqueId || row.roster?.id;

const hours = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/**
 * What people were told and did in these hours: the field, its title, and how it is written.
 * @type {[string, string, (number: number) => string][]}
 */
const LOAD = [
  ["pages", "Pages", String],
  ["nightPages", "Pages at night", String],
  ["nightsBroken", "Nights broken", String],
  ["incidentHours", "Hours on alerts", (number) => hours.format(number)],
];

const monthName = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" });

/** The first instant of a month where people are, so many months before this one. */
const begin = (ago) => new Date(new Date().getFullYear(), new Date().getMonth() - ago, 1);

const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** @returns {import("./sorttable.js").SortColumn[]} */
const columnsOf = (by, load, cell) => [
  { id: "name", title: HOURS_BY[by], value: nameOf, cell },
  ...CATEGORIES.map(([one]) => ({
    id: one,
    title: capital(one),
    number: true,
    value: (row) => row.hours[one],
    cell: (row) => hours.format(row.hours[one]),
  })),
  { id: "total", title: "Total", number: true, value: (row) => row.total, cell: (row) => hours.format(row.total) },
  ...load.map(([id, title, write]) => ({
    id,
    title,
    number: true,
    value: (row) => row[id],
    cell: (row) => write(row[id]),
  })),
];

/**
 * The panel of the hours of a range: `words` is what that is called, and `file` in the name of a file; `only` narrows
 * the hours to a `userId` or a `userGroupId`. `cell(row, name)` shows a name, and `children` are its filters.
 * @param {{
 *   from: number | Date, to: number | Date, words: string, file: string, by: keyof typeof HOURS_BY,
 *   only?: {userId?: string, userGroupId?: string}, sort: string, onSort: (sort: string) => void,
 *   cell?: (row: any, name: string) => any, children?: any,
 * }} given
 */
export function HoursPanel({ from, to, words, file, by, only = {}, sort, onSort, cell, children }) {
  const [saves, setSaves] = useState(false);
  const query = { from: wire(from), to: wire(to), by, ...only };
  const answer = useAnswer((signal) => call("getRosterHours", { signal, query }), `hours ${JSON.stringify(query)}`);
  // The hours on alerts are those of a person in all rosters: rows of a part do not have them.
  const load = LOAD.filter(([one]) => answer.data?.results.some((row) => row[one] !== undefined));
  const columns = columnsOf(by, load, cell && ((row) => cell(row, nameOf(row))));
  const rows = sorted(answer.data?.results || [], columns, sort);
  return html`<${Panel}
    title="Hours on call"
    id="hours"
    actions=${rows.length > 0 && html`<${Button} onClick=${() => setSaves(true)}>Export hours as CSV…<//>`}
  >
    <div class="filters">${children}</div>
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    ${!answer.data && !answer.problem && html`<${Loading} />`}
    ${answer.data && !rows.length && html`<${Empty} title="Nobody is on call in this time." />`}
    ${
      rows.length > 0 &&
      html`
        <${StackedBars}
          label=${`Hours on call, ${words}`}
          keys=${CATEGORIES.map(([one, colour]) => [capital(one), colour])}
          rows=${rows.map((row) => ({ name: nameOf(row), values: CATEGORIES.map(([one]) => row.hours[one]) }))}
          write=${(number) => hours.format(number)}
        />
        <${SortTable} label="Hours on call" ...${{ columns, rows, sort, onSort }} />
      `
    }
    ${
      saves &&
      html`<${ExportDialog}
        title=${`Hours on call, ${words}`}
        file=${`hours-${file}-${by}.csv`}
        columns=${[
          ["id", idOf],
          [HOURS_BY[by], nameOf],
          ...CATEGORIES.map(([one]) => [one, (row) => row.hours[one]]),
          ["total", (row) => row.total],
          ...load.map(([one]) => [one, (row) => row[one]]),
        ]}
        read=${(_, signal) => call("getRosterHours", { signal, query })}
        onClose=${() => setSaves(false)}
      />`
    }
  <//>`;
}

/** The hours of a month. */
export function MonthHours() {
  const [ago, setAgo] = useState("0");
  const [by, setBy] = useState(/** @type {keyof typeof HOURS_BY} */ ("user"));
  const [sort, setSort] = useState("name");
  const [from, to] = [begin(Number(ago)), begin(Number(ago) - 1)];
  const months = Array.from({ length: MONTHS }, (_, month) => [String(month), monthName.format(begin(month))]);
  const file = `${from.getFullYear()}-${String(from.getMonth() + 1).padStart(2, "0")}`;
  return html`<${HoursPanel} ...${{ from, to, words: monthName.format(from), file, by, sort, onSort: setSort }}>
    <${Choice} label="Month" value=${ago} options=${months} onValue=${setAgo} />
    <${Choice} label="For each" value=${by} options=${Object.entries(HOURS_BY)} onValue=${setBy} />
  <//>`;
}
