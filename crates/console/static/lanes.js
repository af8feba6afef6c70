// Lanes: what takes place when, drawn as SVG, with a table that says the same.

import { useMarks } from "./conflictmarks.js";
import { Time, html } from "./elements.js";
import { DAY, day, full, gmt, midnight, millis } from "./time.js";

/** How many colours there are for people and windows. */
export const COLOURS = 8;

/** How many days have room for their names. */
const LABELS = 16;

const tooltip = ({ text, start, end }) =>
  `${text}: ${full(millis(start))} to ${full(millis(end))}\n${gmt(millis(start))} to ${gmt(millis(end))}`;

/**
 * What a picture shows, as a table: `rows` are `{start, end, where, text, gap}`; without any `where` there is no such
 * column.
 */
export function DataTable({ rows, label }) {
  const where = rows.some((row) => row.where);
  return html`<details class="twin">
    <summary>Show as table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label=${`${label}, as a table`}>
      <table class="plain">
        <caption class="hidden">${label}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            ${where && html`<th scope="col">Where</th>`}
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) => html`<tr class=${row.gap ? "gap-row" : ""}>
              <td><${Time} at=${row.start} /></td>
              <td><${Time} at=${row.end} /></td>
              ${where && html`<td>${row.where}</td>`}
              <td>${row.text}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}

/**
 * `lanes` is `{name, short, note, parts: [{start, end, text, colour, gap}]}`, and `marks` where there are conflicts,
 * which `onMark` hears of; `from` and `to` are milliseconds; `drag` is what `useDrag` answers, where something can be
 * dragged.
 * @param {any} given
 */
export function Lanes({ lanes, from, to, label, drag, onMark }) {
  const { frame, marksOf, words } = useMarks(lanes, onMark);
  const share = (time) => `${(Math.min(1, Math.max(0, (time - from) / (to - from))) * 100).toFixed(3)}%`;
  const width = ({ start, end }) => share(from + Math.min(to, millis(end)) - Math.max(from, millis(start)));
  const days = [];
  for (let at = midnight(from, 1); at < to; at = midnight(at, 1)) days.push(at);
  const now = Date.now();
  return html`
    <div class="lanes-scroll" tabindex="0" role="region" aria-label=${label}>
      <div class="lanes" ...${frame}>
        <div class="lane-name"></div>
        <svg class="lane-days" width="100%" height="20" aria-hidden="true">
          ${days
            .filter((at, place) => to - at > DAY / 2 && place % Math.ceil(days.length / LABELS) === 0)
            .map((at) => html`<text x=${share(at)} y="14" dx="3">${day(at)}</text>`)}
        </svg>
        ${lanes.map(
          (lane) => html`
            <div class="lane-name" aria-hidden="true" title=${`${lane.name} ${lane.note || ""}`}>
              ${lane.short || lane.name}
            </div>
            <div class="lane-box" ...${drag?.listen(lane)}>
            <svg class=${drag ? "lane drag" : "lane"} width="100%" height="30" aria-hidden="true">
              ${days.map((at) => html`<line class="day" x1=${share(at)} x2=${share(at)} y1="0" y2="30" />`)}
              ${lane.parts.map(
                (part) => html`<svg
                  x=${share(millis(part.start))}
                  width=${width(part)}
                  y="3"
                  height="24"
                  overflow="hidden"
                  class=${part.gap ? "part gap" : `part c${part.colour}`}
                >
                  <title>${tooltip(part)}</title>
                  <rect width="100%" height="24" rx="3" />
                  ${!part.gap && html`<text x="5" y="16">${part.text}</text>`}
                </svg>`,
              )}
              ${lane.marks?.flatMap(({ conflicts }) =>
                conflicts.map(
                  (one) =>
                    one.kind !== "gap" &&
                    html`<rect
                        class="conflict"
                        x=${share(millis(one.from))}
                        width=${width({ start: one.from, end: one.to })}
                        y="27"
                        height="3"
                      />`,
                ),
              )}
                ${drag?.mark(lane)}
              ${now >= from && now < to && html`<line class="now" x1=${share(now)} x2=${share(now)} y1="0" y2="30" />`}
            </svg>
            ${marksOf(lane)}
            </div>
          `,
        )}
      </div>
    </div>
    ${words}
    <${DataTable}
      label=${label}
      rows=${lanes.flatMap((lane) => lane.parts.map((part) => ({ ...part, where: lane.name })))}
    />
  `;
}
