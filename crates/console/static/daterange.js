// A range of days: the last ones, or from one day to another. It is in the address.

import { html } from "./elements.js";
import { refine } from "./route.js";
import { DAY, midnight } from "./time.js";

/** How many days the last ones may be. */
const LAST = [7, 30, 90];

/** The most days that the service sums up. */
const MOST = 400;

const dayName = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });

/** A day as `<input type="date">` has it: `2026-11-20`. */
function toDay(time) {
  const at = new Date(time);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** The first moment of such a day where people are; nothing for other texts. */
function fromDay(text) {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text || "") || [];
  return year ? new Date(Number(year), Number(month) - 1, Number(date)).getTime() : undefined;
}

/**
 * The range that the address names: `days` of the last ones, or its own `first` and `last` day; `from` and `to` are
 * its first moment and the one after it, and `words` and `file` what it is called. `wrong` says why it cannot be asked
 * for.
 * @param {URLSearchParams} query
 */
export function rangeOf(query) {
  const [begin, end] = [fromDay(query.get("from")), fromDay(query.get("to"))];
  const isOwn = begin !== undefined && end !== undefined;
  const days = isOwn ? 0 : LAST.find((many) => String(many) === query.get("days")) || 30;
  const first = isOwn ? begin : midnight(Date.now(), 1 - days);
  const last = isOwn ? end : midnight(Date.now());
  const to = midnight(last, 1);
  const wrong =
    first > last
      ? "The last day is before the first."
      : Math.round((to - first) / DAY) > MOST
        ? `A range has at most ${MOST} days.`
        : "";
  const words = first === last ? dayName.format(first) : `${dayName.format(first)} to ${dayName.format(last)}`;
  return { days, first: toDay(first), last: toDay(last), from: first, to, words, wrong };
}

/** The choice of a range; `range` is what `rangeOf` answers. */
export function RangePicker({ range }) {
  const { days, first, last, wrong } = range;
  const own = (changes) => refine({ days: "", from: first, to: last, ...changes });
  const date = (label, value, name) => html`<label class="inline">
    ${label}${" "}
    <input
      type="date"
      value=${value}
      required
      onChange=${(event) => event.target.value && own({ [name]: event.target.value })}
    />
  </label>`;
  return html`
    <div class="choices" role="group" aria-label="Range">
      ${LAST.map(
        (many) => html`<button
          type="button"
          aria-pressed=${many === days ? "true" : "false"}
          onClick=${() => refine({ days: String(many), from: "", to: "" })}
        >
          Last ${many} days
        </button>`,
      )}
      <button type="button" aria-pressed=${days ? "false" : "true"} onClick=${() => own({})}>Own range</button>
    </div>
    ${!days && html`${date("From", first, "from")} ${date("To", last, "to")}`}
    ${wrong && html`<p class="wrong wide" role="alert">${wrong}</p>`}
  `;
}
