// The fields of a pattern by which something repeats: days of the week, days of the month and the like.

import { html } from "./elements.js";
import { Choices } from "./form.js";
import { Labelled, errorsOf } from "./schemacontrols.js";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const INDEXES = ["First", "Second", "Third", "Fourth", "Last"];

/** What a pattern counts. */
export const UNITS = { daily: "days", weekly: "weeks", monthly: "months", yearly: "years" };

/** Words of a list as people read them: with a blank behind each comma. */
export const spaced = (words) => words.replace(/\s*,\s*/g, ", ");

const listed = (words) => words.replace(/\s*,\s*/g, ",").trim();

/** A choice of a few words; `options` are `[value, title]`. */
export const choice = (name, label, options, value, onValue, errors = /** @type {any[]} */ ([])) => html`<${Labelled}
  label=${label}
  errors=${errors}
>
  ${(rest) => html`<select name=${name} ...${rest} onChange=${(event) => onValue(event.target.value)}>
    ${options.map(([one, title]) => html`<option value=${one} selected=${one === value}>${title}</option>`)}
  </select>`}
<//>`;

/**
 * What a pattern asks for besides its kind. `onValue` gets the whole pattern; `unit` is what it counts, where it may
 * take place only every few of them.
 */
export function PatternFields({ pattern, unit, onValue, problem, path }) {
  const { type, weekDays = "", months = "", dayOfMonth, weekIndex, dayOfWeek } = pattern;
  const wrong = (name) => errorsOf(problem, `${path}.${name}`);
  const put = (changes) => {
    const next = { ...pattern, ...changes };
    for (const name of Object.keys(next)) if (next[name] === "" || next[name] === undefined) delete next[name];
    onValue(next);
  };
  const byDate = !weekIndex;
  const monthly = type === "monthly" || type === "yearly";
  return html`
    ${
      unit &&
      html`<${Labelled} label=${`Every … ${unit}`} errors=${wrong("repeatFrequency")}>
        ${(rest) => html`<input
          type="number"
          min="1"
          max="1440"
          name="every"
          ...${rest}
          value=${pattern.repeatFrequency ?? 1}
          onInput=${(event) => put({ repeatFrequency: Number(event.target.value) || undefined })}
        />`}
      <//>`
    }
    ${
      type === "weekly" &&
      html`<div class="field wide">
        <span class="label">Days of the week</span>
        <${Choices}
          label="Days of the week"
          options=${DAYS}
          value=${listed(weekDays)}
          onValue=${(days) => put({ weekDays: days })}
        />
        <p class=${wrong("weekDays").length ? "wrong" : "hint"}>
          ${wrong("weekDays")[0]?.message || "None: the day of the start"}
        </p>
      </div>`
    }
    ${
      type === "yearly" &&
      html`<div class="field wide">
        <span class="label">Months</span>
        <${Choices}
          label="Months"
          options=${MONTHS}
          value=${listed(months)}
          onValue=${(chosen) => put({ months: chosen })}
        />
        ${wrong("months").length > 0 && html`<p class="wrong">${wrong("months")[0].message}</p>`}
      </div>`
    }
    ${
      monthly &&
      choice(
        "on",
        "On",
        [
          ["date", "days of the month"],
          ["weekday", "a weekday of the month"],
        ],
        byDate ? "date" : "weekday",
        (on) =>
          put(
            on === "date"
              ? { weekIndex: undefined, dayOfWeek: undefined }
              : { dayOfMonth: undefined, weekIndex: "First", dayOfWeek: "Sunday" },
          ),
      )
    }
    ${
      monthly &&
      byDate &&
      html`<${Labelled} label="Days of the month" hint="1 to 31, separated by commas" errors=${wrong("dayOfMonth")}>
        ${(rest) => html`<input
          name="dayOfMonth"
          ...${rest}
          value=${dayOfMonth ?? ""}
          onInput=${(event) => put({ dayOfMonth: event.target.value })}
        />`}
      <//>`
    }
    ${
      monthly &&
      !byDate &&
      html`
        ${choice(
          "weekIndex",
          "Which",
          INDEXES.map((one) => [one, one.toLowerCase()]),
          weekIndex,
          (one) => put({ weekIndex: one }),
          wrong("weekIndex"),
        )}
        ${choice(
          "dayOfWeek",
          "Day of the week",
          DAYS.map((one) => [one, one]),
          dayOfWeek,
          (one) => put({ dayOfWeek: one }),
          wrong("dayOfWeek"),
        )}
      `
    }
  `;
}
