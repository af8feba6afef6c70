// The control of the schedule of a shift: once, or every so many days, weeks, months or years, between two times of
// day.

import { html } from "./elements.js";
import { Choices } from "./form.js";
import { useEffect } from "./hooks.js";
import { choice, UNITS } from "./patternfields.js";
import { Labelled, errorsOf } from "./schemacontrols.js";
import { HOUR, fromInput, midnight, millis, toInput, wire } from "./time.js";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const INDEXES = ["First", "Second", "Third", "Fourth", "Last"];
const KINDS = [["once", "once"], ...Object.keys(UNITS).map((kind) => [kind, kind])];
const ENDS = [
  ["NEVER", "never"],
  ["OCCURRENCES", "after a number of times"],
  ["DATE", "on a date"],
];

/** The midnight that begins the last Monday before a day: what begins then has somebody on call all day. */
export const mondayBefore = (time) => midnight(time, -1 - ((new Date(time).getDay() + 5) % 7));

/** Every day around the clock, with a hand-over at nine. */
export const startShiftSchedule = (startTime = "09:00:00", endTime = startTime) => ({
  type: "recurring",
  startDate: wire(mondayBefore(Date.now())),
  startTime,
  endTime,
  pattern: { type: "daily", repeatFrequency: 1 },
  endPattern: { type: "NEVER" },
});

const startOnce = () => {
  const start = Math.ceil(Date.now() / HOUR) * HOUR;
  return { type: "one-time", startDate: wire(start), endDate: wire(start + 8 * HOUR) };
};

const startPattern = (type) => ({
  type,
  repeatFrequency: 1,
  ...(type === "weekly" && { weekDays: DAYS.slice(0, 5).join(",") }),
  ...(type === "monthly" && { repeatType: "DAY_OF_MONTH", dayOfMonth: 1 }),
});

/** What a schedule says, in words. */
export function scheduleWords(schedule) {
  if (schedule.type === "one-time") return "once";
  const { pattern, startTime, endTime } = schedule;
  const every = pattern.repeatFrequency > 1 ? `every ${pattern.repeatFrequency} ${UNITS[pattern.type]}` : pattern.type;
  const on = pattern.weekDays || (pattern.weekIndex && `${pattern.weekIndex} ${pattern.dayOfWeek}`);
  const clock = startTime === endTime ? "around the clock, from" : "from";
  const until = startTime === endTime ? "" : ` to ${endTime.slice(0, 5)}`;
  const day = pattern.dayOfMonth ? ` on day ${pattern.dayOfMonth}` : "";
  return `${every}${on ? ` on ${on.replace(/,\s*/g, ", ")}` : day} ${clock} ${startTime.slice(0, 5)}${until}`;
}

const input = (label, type, value, onValue, rest = /** @type {any} */ ({})) => html`<${Labelled}
  label=${label}
  errors=${rest.errors || []}
  hint=${rest.hint || ""}
>
  ${(given) => html`<input
    type=${type}
    ...${given}
    value=${value ?? ""}
    min=${rest.min}
    max=${rest.max}
    required
    onChange=${(event) => onValue(event.target.value)}
  />`}
<//>`;

const instant = (label, value, onValue, rest) =>
  input(label, "datetime-local", value && toInput(millis(value)), (text) => onValue(fromInput(text)), rest);

/** The days of a pattern. */
function Days({ pattern, put, wrong }) {
  const { type, repeatType, weekIndex, dayOfWeek } = pattern;
  if (type === "weekly")
    return html`<div class="field wide">
      <span class="label">Days of the week</span>
      <${Choices}
        label="Days of the week"
        options=${DAYS}
        value=${(pattern.weekDays || "").replace(/\s*,\s*/g, ",")}
        onValue=${(weekDays) => put({ weekDays: weekDays || undefined })}
      />
      ${wrong("weekDays").map((error) => html`<p class="wrong">${error.message}</p>`)}
    </div>`;
  if (type !== "monthly") return null;
  const on = [
    ["DAY_OF_MONTH", "a day of the month"],
    ["DAY_OF_WEEK", "a weekday of the month"],
  ];
  const change = (next) =>
    put(
      next === "DAY_OF_MONTH"
        ? { repeatType: next, dayOfMonth: 1, weekIndex: undefined, dayOfWeek: undefined }
        : { repeatType: next, dayOfMonth: undefined, weekIndex: "First", dayOfWeek: "Monday" },
    );
  const words = (list) => list.map((one) => [one, one]);
  return html`
    ${choice("on", "On", on, repeatType, change)}
    ${
      repeatType === "DAY_OF_WEEK"
        ? html`
            ${choice("weekIndex", "Which", words(INDEXES), weekIndex, (one) => put({ weekIndex: one }))}
            ${choice("dayOfWeek", "Day of the week", words(DAYS), dayOfWeek, (one) => put({ dayOfWeek: one }))}
          `
        : input("Day of the month", "number", pattern.dayOfMonth, (text) => put({ dayOfMonth: Number(text) }), {
            min: 1,
            max: 31,
            errors: wrong("dayOfMonth"),
          })
    }
  `;
}

/** The control of a schedule. */
export function ShiftSchedule({ label, path, value, onValue, problem, errors }) {
  const own = errors.filter((error) => error.fieldName === path);
  const isSet = Boolean(value?.startDate);
  // A new shift takes place around the clock at first.
  useEffect(() => {
    if (!isSet) onValue(startShiftSchedule());
  }, [isSet]);
  if (!isSet) return null;
  const once = value.type === "one-time";
  const pattern = value.pattern || {};
  const wrong = (name) => errorsOf(problem, `${path}.${name}`);
  const put = (changes) => onValue({ ...value, ...changes });
  const putPattern = (changes) => {
    const next = { ...pattern, ...changes };
    for (const name of Object.keys(next)) if (next[name] === undefined) delete next[name];
    put({ pattern: next });
  };
  const kind = (next) => {
    if (next === "once") onValue(startOnce());
    else if (once) onValue({ ...startShiftSchedule(), pattern: startPattern(next) });
    else put({ pattern: startPattern(next) });
  };
  const timeOfDay = (title, name, hint) =>
    input(title, "time", value[name]?.slice(0, 5), (text) => put({ [name]: text && `${text.slice(0, 5)}:00` }), {
      hint,
      errors: wrong(name),
    });
  const end = value.endPattern || { type: "NEVER" };
  const same = value.startTime === value.endTime;
  return html`<fieldset class="group wide">
    <legend>${label}</legend>
    ${own.map((error) => html`<p class="wrong">${error.message}</p>`)}
    <div class="fields">
      ${choice("repeats", "Repeats", KINDS, once ? "once" : pattern.type, kind)}
      ${
        once
          ? html`
              ${instant("Begins", value.startDate, (startDate) => put({ startDate }), { errors: wrong("startDate") })}
              ${instant("Ends", value.endDate, (endDate) => put({ endDate }), { errors: wrong("endDate") })}
            `
          : html`
              ${input(
                `Every … ${UNITS[pattern.type] || ""}`,
                "number",
                pattern.repeatFrequency,
                (text) => putPattern({ repeatFrequency: Number(text) || 1 }),
                { min: 1, errors: wrong("pattern.repeatFrequency") },
              )}
              ${timeOfDay("From", "startTime", "")}
              ${timeOfDay("To", "endTime", same ? "The same time: around the clock" : "Earlier than “From”: the next day")}
              <${Days} pattern=${pattern} put=${putPattern} wrong=${(name) => wrong(`pattern.${name}`)} />
              <details class="wide" open=${wrong("startDate").length || wrong("endPattern").length || undefined}>
                <summary>First and last time</summary>
                <div class="fields">
                  ${instant("First time at or after", value.startDate, (startDate) => put({ startDate }), {
                    errors: wrong("startDate"),
                  })}
                  ${choice("ends", "Ends", ENDS, end.type, (type) =>
                    put({
                      endPattern: {
                        NEVER: { type },
                        OCCURRENCES: { type, occurrences: 10 },
                        DATE: { type, endDate: wire(midnight(Date.now(), 365)) },
                      }[type],
                    }),
                  )}
                  ${
                    end.type === "OCCURRENCES" &&
                    input(
                      "Number of times",
                      "number",
                      end.occurrences,
                      (text) => put({ endPattern: { ...end, occurrences: Number(text) } }),
                      { min: 1, errors: wrong("endPattern") },
                    )
                  }
                  ${
                    end.type === "DATE" &&
                    instant("Until", end.endDate, (endDate) => put({ endPattern: { ...end, endDate } }), {
                      errors: wrong("endPattern"),
                    })
                  }
                </div>
              </details>
            `
      }
    </div>
  </fieldset>`;
}
