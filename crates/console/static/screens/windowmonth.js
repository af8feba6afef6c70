// The calendar of maintenance windows: when which ones are open, day by day.

import { call } from "../api.js";
import { Calendar } from "../calendar.js";
import { Loading, Trouble, count, html } from "../elements.js";
import { useAnswer, useEffect, useRef } from "../hooks.js";
import { COLOURS } from "../lanes.js";
import { link } from "../route.js";
import { wire } from "../time.js";

/** How many occurrences a month shows; those of all windows, so that a colour is a window. */
const MOST = 1000;

/** The windows of the month `shown` that match `filter`; `stamp` is another value when they may have changed. */
export function WindowMonth({ shown, filter, stamp }) {
  const answer = useAnswer(
    (signal) =>
      call("listAllMaintenanceOccurrences", {
        signal,
        query: {
          from: wire(shown.from),
          to: wire(shown.to),
          queryString: filter,
          pageSize: MOST,
          isDescendingOrder: "false",
        },
      }),
    `${shown.from} ${filter}`,
  );
  const seen = useRef(stamp);
  useEffect(() => {
    if (seen.current !== stamp) answer.reload();
    seen.current = stamp;
  }, [stamp]);
  if (!answer.data)
    return answer.problem
      ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />`
      : html`<${Loading} />`;
  const ids = [...new Set(answer.data.results.map((one) => one.window.uniqueId))].sort();
  const parts = answer.data.results.map((one) => ({
    start: one.start,
    end: one.end,
    text: one.window.name,
    colour: ids.indexOf(one.window.uniqueId) % COLOURS,
    href: link("maintenance", {
      view: "month",
      month: new URLSearchParams(location.search).get("month") || "",
      window: one.window.uniqueId,
    }),
  }));
  return html`
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    ${
      answer.data.totalResults > MOST &&
      html`<p class="gaps">The first ${count(MOST)} of ${count(answer.data.totalResults)} are shown.</p>`
    }
    <${Calendar} parts=${parts} shown=${shown} label=${`When windows are open, ${shown.name}`} />
  `;
}
