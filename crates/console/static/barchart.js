// Charts of bars: sparklines, and one bar for each name, of parts in a row.

import { html } from "./elements.js";

const WIDTH = 8;
const HEIGHT = 30;

/**
 * A row of bars, each with its words; a label says what they come to. `bars` are `{value, kind, title}`, `kind` being
 * `good`, `bad` or nothing.
 */
export function BarChart({ bars, label }) {
  const most = Math.max(...bars.map((bar) => bar.value), 1);
  const tall = (bar) => (bar.value ? 2 + (HEIGHT - 2) * (bar.value / most) : 1);
  return html`<svg class="bars" width=${bars.length * WIDTH} height=${HEIGHT + 2} role="img" aria-label=${label}>
    ${bars.map(
      (bar, place) => html`<rect
        x=${place * WIDTH}
        width=${WIDTH - 2}
        y=${HEIGHT + 2 - tall(bar)}
        height=${tall(bar)}
        class=${bar.kind || "plain-bar"}
      >
        <title>${bar.title}</title>
      </rect>`,
    )}
  </svg>`;
}

/** How many names a chart of parts has at most. */
const MOST = 15;

/** One bar of parts, each with a colour. */
function Parts({ parts, most, words }) {
  let from = 0;
  return html`<svg width="100%" height="16" role="img" aria-label=${words}>
    <title>${words}</title>
    ${parts.map(({ value, colour }) => {
      const width = (value / most) * 100;
      from += width;
      return width > 0 && html`<rect class=${colour} x=${`${from - width}%`} width=${`${width}%`} height="16" />`;
    })}
  </svg>`;
}

/**
 * A bar for each of `rows`, `{name, values}`, of the parts that `keys` name, `[title, colour]`; what it shows stands in
 * a table, too, and so the longest list is cut off. `write` is how a value is written.
 * @param {{
 *   rows: {name: string, values: number[]}[], keys: string[][], label: string, write: (value: number) => string,
 * }} given
 */
export function StackedBars({ rows, keys, label, write }) {
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  const shown = rows.slice(0, MOST);
  const most = Math.max(...shown.map((row) => sum(row.values)));
  const words = ({ values }) =>
    keys.flatMap(([title], at) => (values[at] ? [`${title}: ${write(values[at])}`] : [])).join(", ") || "nothing";
  return html`<figure class="stack" aria-label=${label}>
    <ul>
      ${shown.map(
        (row) => html`<li>
          <span class="stack-name" dir="auto" title=${row.name}>${row.name}</span>
          <${Parts}
            parts=${row.values.map((value, at) => ({ value, colour: keys[at][1] }))}
            most=${most || 1}
            words=${words(row)}
          />
          <span class="number">${write(sum(row.values))}</span>
        </li>`,
      )}
    </ul>
    <figcaption class="dim small legend">
      ${keys.map(
        ([title, colour]) =>
          html`<span class="together"><span class=${`key ${colour}`} aria-hidden="true"></span> ${title}</span>${" "}`,
      )}
      ${rows.length > MOST && `· the first ${MOST} of ${rows.length}`}
    </figcaption>
  </figure>`;
}
