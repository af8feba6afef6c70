// The chart of alerts: how many were taken in, hour by hour and by severity. A bar leads to the alerts of its time.

import { HOURS } from "../alertcounts.js";
import { SEVERITIES } from "../alertlist.js";
import { count, html } from "../elements.js";
import { useLayoutEffect, useState } from "../hooks.js";
import { link } from "../route.js";
import { HOUR, clock, wire } from "../time.js";

const HEIGHT = 56;

/** From this width on there is a bar for each hour, and below one for three, so that each can be hit. */
const WIDE = "(min-width: 960px)";

function useMedia(query) {
  const [matches, set] = useState(() => matchMedia(query).matches);
  useLayoutEffect(() => {
    const media = matchMedia(query);
    const changed = () => set(media.matches);
    media.addEventListener("change", changed);
    return () => media.removeEventListener("change", changed);
  }, []);
  return matches;
}

const sum = (counts) => SEVERITIES.reduce((all, state) => all + (counts[state] || 0), 0);

/** Hours taken together, so many at a time. */
function grouped(hours, size) {
  const groups = [];
  for (let place = 0; place < hours.length; place += size) {
    const some = hours.slice(place, place + size);
    const counts = Object.fromEntries(
      SEVERITIES.map((state) => [state, some.reduce((all, one) => all + (one.counts[state] || 0), 0)]),
    );
    groups.push({ from: some[0].from, to: some[0].from + size * HOUR, counts });
  }
  return groups;
}

/** One bar: its severities on each other, the worst at the bottom. */
function Bar({ counts, most }) {
  let top = HEIGHT;
  return html`<svg viewBox=${`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
    ${SEVERITIES.map((state) => {
      if (!counts[state]) return null;
      const height = Math.max(2, ((HEIGHT - 8) * counts[state]) / most);
      top -= height;
      return html`<rect class=${`sev-${state}`} x="1" width="8" y=${Math.max(0, top)} height=${height} />`;
    })}
  </svg>`;
}

/**
 * The chart; `from` and `to` are the time that the list is limited to, in milliseconds, and `query` the filter of the
 * address.
 */
export function AlertChart({ hours, query, from, to }) {
  const wide = useMedia(WIDE);
  const bars = grouped(hours, wide ? 1 : 3);
  const all = hours.map((one) => sum(one.counts));
  const total = all.reduce((one, other) => one + other, 0);
  const most = Math.max(1, ...bars.map((bar) => sum(bar.counts)));
  const given = Object.fromEntries(query);
  const words = (bar) => {
    const parts = SEVERITIES.filter((state) => bar.counts[state]).map((state) => `${bar.counts[state]} ${state}`);
    return `${clock.format(bar.from)} to ${clock.format(bar.to)}: ${parts.join(", ") || "none"}`;
  };
  const address = (bar) =>
    link("alerts", {
      ...given,
      tenant: "",
      ...(bar.from === from && bar.to === to
        ? { from: "", to: "" }
        : { status: given.status || "any", from: wire(bar.from), to: wire(bar.to) }),
    });
  return html`<div class="hourly">
    <div
      class="bars stacked"
      role="group"
      aria-label=${`${count(total)} alerts in the last ${HOURS} hours, at most ${count(Math.max(...all))} in an hour`}
    >
      ${bars.map(
        (bar, place) => html`<a
          href=${address(bar)}
          title=${words(bar)}
          aria-label=${words(bar)}
          aria-current=${bar.from === from && bar.to === to ? "true" : undefined}
        >
          <${Bar} counts=${bar.counts} most=${most} />
          <span aria-hidden="true">${place % (wide ? 3 : 1) === 0 ? clock.format(bar.from) : ""}</span>
        </a>`,
      )}
    </div>
    <p class="dim small legend">
      ${SEVERITIES.map((state) => html`<span class=${`key sev-${state}`} aria-hidden="true"></span> ${state}${" "}`)}
      · ${count(total)} in ${HOURS} hours, at most ${count(Math.max(...all))} in an hour
    </p>
  </div>`;
}
