// How long people are on call in a month, and the same as a file for payroll.

import { call } from "./api.js";
import { ExportDialog } from "./csvexport.js";
import { Button, Empty, Loading, Panel, Trouble, html } from "./elements.js";
import { useAnswer, useState } from "./hooks.js";
import { wire } from "./time.js";

/** How many months may be chosen: this one, and those before it. */
const MONTHS = 13;

const CATEGORIES = ["working", "evening", "night", "weekend", "holiday"];

/** What has a row each, by the word of `by`. */
const KINDS = { user: "Person", group: "User group", roster: "Roster" };

/** What a row is of. While another answer is on its way, it may be of the kind before. */
const nameOf = (row) => row.user?.loginName || row.roster?.name || row.userGroup?.name || "No group";

const hours = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const monthName = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" });

/** The first instant of a month where people are, so many months before this one. */
const begin = (ago) => new Date(new Date().getFullYear(), new Date().getMonth() - ago, 1);

const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** A choice of one of several, each `[value, title]`. */
const Choice = ({ label, value, options, onValue }) => html`<label class="inline">
  ${label}${" "}
  <select value=${value} onChange=${(event) => onValue(event.target.value)}>
    ${options.map(([one, title]) => html`<option value=${one}>${title}</option>`)}
  </select>
</label>`;

export function Hours() {
  const [ago, setAgo] = useState("0");
  const [by, setBy] = useState(/** @type {keyof typeof KINDS} */ ("user"));
  const [saves, setSaves] = useState(false);
  const [from, to] = [begin(Number(ago)), begin(Number(ago) - 1)];
  const query = { from: wire(from), to: wire(to), by };
  const answer = useAnswer((signal) => call("getRosterHours", { signal, query }), `hours ${ago} ${by}`);
  const rows = answer.data?.results || [];
  const months = Array.from({ length: MONTHS }, (_, month) => [String(month), monthName.format(begin(month))]);
  const file = `hours-${from.getFullYear()}-${String(from.getMonth() + 1).padStart(2, "0")}-${by}.csv`;
  return html`<${Panel}
    title="Hours on call"
    id="hours"
    actions=${rows.length > 0 && html`<${Button} onClick=${() => setSaves(true)}>Export hours as CSV…<//>`}
  >
    <div class="filters">
      <${Choice} label="Month" value=${ago} options=${months} onValue=${setAgo} />
      <${Choice} label="For each" value=${by} options=${Object.entries(KINDS)} onValue=${setBy} />
    </div>
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    ${!answer.data && !answer.problem && html`<${Loading} />`}
    ${answer.data && !rows.length && html`<${Empty} title="Nobody is on call in this month." />`}
    ${
      rows.length > 0 &&
      html`<div class="scroll tall" tabindex="0" role="region" aria-label="Hours on call">
        <table class="plain unbroken">
          <thead>
            <tr>
              <th scope="col">${KINDS[by]}</th>
              ${[...CATEGORIES, "total"].map((one) => html`<th scope="col" class="number">${capital(one)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              (row) => html`<tr>
                <th scope="row" dir="auto">${nameOf(row)}</th>
                ${CATEGORIES.map((one) => html`<td class="number">${hours.format(row.hours[one])}</td>`)}
                <td class="number">${hours.format(row.total)}</td>
              </tr>`,
            )}
          </tbody>
        </table>
      </div>`
    }
    ${
      saves &&
      html`<${ExportDialog}
        title=${`Hours on call, ${monthName.format(from)}`}
        file=${file}
        columns=${[
          ["id", (row) => row.user?.id || row.userGroup?.uniqueId || row.roster?.id],
          [KINDS[by], nameOf],
          ...CATEGORIES.map((one) => [one, (row) => row.hours[one]]),
          ["total", (row) => row.total],
        ]}
        read=${(_, signal) => call("getRosterHours", { signal, query })}
        onClose=${() => setSaves(false)}
      />`
    }
  <//>`;
}
