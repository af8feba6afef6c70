// Sparklines: a row of bars, each with its words; a label says what they come to.

import { html } from "./elements.js";

const WIDTH = 8;
const HEIGHT = 30;

/** `bars` are `{value, kind, title}`, `kind` being `good`, `bad` or nothing. */
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
