// A month: which windows are open on which day, as a table of weeks, with a table that says the same line by line.

import { html } from "./elements.js";
import { DataTable } from "./lanes.js";
import { clock, day, midnight, millis } from "./time.js";

/** How many a day shows; of more it says how many there are. */
const MOST = 4;
const WEEK = 7;

/** The first Monday and the Monday after the last day of what a calendar of a month shows, and the month's name. */
export function month(offset) {
  const today = new Date();
  const first = new Date(today.getFullYear(), today.getMonth() + offset, 1);
  const next = new Date(today.getFullYear(), today.getMonth() + offset + 1, 1);
  const lead = (first.getDay() + 6) % WEEK;
  const from = midnight(first, -lead);
  const trail = (WEEK - ((next.getDay() + 6) % WEEK)) % WEEK;
  const name = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" }).format(first);
  return { from, to: midnight(next, trail), name, number: first.getMonth() };
}

/** What takes place on a day: `parts` are `{start, end, text, href, colour}`. */
function Day({ at, parts, inside }) {
  const end = midnight(at, 1);
  const here = parts.filter((part) => millis(part.start) < end && millis(part.end) > at);
  const shown = here.length > MOST ? here.slice(0, MOST - 1) : here;
  const date = new Date(at);
  return html`<td class=${inside ? "" : "outside"} aria-current=${midnight(Date.now()) === at ? "date" : undefined}>
    <span class="date"><span class="hidden">${day(at)}</span><span aria-hidden="true">${date.getDate()}</span></span>
    <ul>
      ${shown.map(
        (part) => html`<li>
          <a class=${`entry c${part.colour}`} href=${part.href} title=${part.text}>
            ${millis(part.start) >= at ? clock.format(millis(part.start)) : "→"} ${part.text}
          </a>
        </li>`,
      )}
      ${here.length > shown.length && html`<li class="small dim">and ${here.length - shown.length} more</li>`}
    </ul>
  </td>`;
}

/** The weeks of a month; `shown` is what `month` says. */
export function Calendar({ parts, shown, label }) {
  const weeks = [];
  for (let monday = shown.from; monday < shown.to; monday = midnight(monday, WEEK))
    weeks.push(Array.from({ length: WEEK }, (_, place) => midnight(monday, place)));
  const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short" });
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${label}>
      <table class="calendar">
        <caption class="hidden">${label}</caption>
        <thead><tr>${weeks[0].map((at) => html`<th scope="col">${weekday.format(at)}</th>`)}</tr></thead>
        <tbody>
          ${weeks.map(
            (days) => html`<tr key=${days[0]}>
              ${days.map(
                (at) => html`<${Day}
                  key=${at}
                  at=${at}
                  parts=${parts}
                  inside=${new Date(at).getMonth() === shown.number}
                />`,
              )}
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <${DataTable} label=${label} rows=${parts.map((part) => ({ ...part, where: "" }))} />
  `;
}
