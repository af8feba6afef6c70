// The part of the form of a job that says when it runs: once, by a pattern, by a cron expression, or by hand alone.

import { html } from "../elements.js";
import { PatternFields, UNITS, choice, spaced } from "../patternfields.js";
import { Labelled, errorsOf } from "../schemacontrols.js";
import { fromInput, millis, toInput, wire, zone } from "../time.js";

/** The choices of how a job repeats, and the pattern that each begins with. */
const REPEATS = {
  never: ["By hand only", { type: "never" }],
  once: ["Once", { type: "run once" }],
  minutes: [
    "Every few minutes",
    { type: "daily", frequency: "recurrence", repeatType: "minutes", repeatFrequency: 15 },
  ],
  hours: ["Every few hours", { type: "daily", frequency: "recurrence", repeatType: "hours", repeatFrequency: 6 }],
  daily: ["Every day", { type: "daily", frequency: "everyday" }],
  weekdays: ["Every weekday", { type: "daily", frequency: "every weekday" }],
  days: ["Every few days", { type: "daily", frequency: "recurrence", repeatType: "days", repeatFrequency: 2 }],
  weekly: ["Every week", { type: "weekly", repeatFrequency: 1 }],
  monthly: ["Every month", { type: "monthly", repeatFrequency: 1 }],
  cron: ["By a cron expression", undefined],
};

/** Which of the choices a schedule is. @param {any} schedule */
export function repeatOf({ cron, pattern = /** @type {any} */ ({}) }) {
  if (cron !== undefined) return "cron";
  if (pattern.type === "run once") return "once";
  if (pattern.type !== "daily") return pattern.type || "never";
  if (pattern.frequency === "every weekday") return "weekdays";
  return pattern.frequency === "recurrence" ? pattern.repeatType || "days" : "daily";
}

/**
 * The schedule of a job as people read it: of one that is active, the pattern `never` is one run at its start. One that
 * is not runs by hand only.
 */
export const scheduleOf = ({ schedule, active }) =>
  active && schedule?.pattern?.type === "never" ? { ...schedule, pattern: REPEATS.once[1] } : schedule;

const zoneOf = (schedule) => schedule.timezone || schedule.timeZone?.name || "";

/** How a job repeats, in words. */
export function repeatWords(schedule = /** @type {any} */ ({})) {
  const { cron, pattern } = schedule;
  if (cron) return cron;
  const repeat = repeatOf(schedule);
  const { repeatFrequency: every = 1 } = pattern || {};
  const unit = pattern?.repeatType || UNITS[pattern?.type];
  const how = unit && every > 1 ? `every ${every} ${unit}` : REPEATS[repeat]?.[0].toLowerCase();
  const on = [
    pattern?.weekDays,
    pattern?.weekIndex && `${pattern.weekIndex.toLowerCase()} ${pattern.dayOfWeek}`,
    pattern?.dayOfMonth && `day ${pattern.dayOfMonth}`,
  ].filter(Boolean);
  return spaced([how, ...on].join(", "));
}

/** A schedule that a form begins with: every day from the next full hour. */
export const startSchedule = () => ({
  startDate: wire(Math.ceil(Date.now() / 3600e3) * 3600e3),
  pattern: REPEATS.daily[1],
  timezone: zone === "UTC" ? "" : zone,
});

/** The control of a schedule, with the values that a request has. */
export function ScheduleField({ value = /** @type {any} */ (startSchedule()), onValue, problem, path }) {
  const { startDate, cron, pattern } = value;
  const repeat = repeatOf(value);
  const wrong = (name) => errorsOf(problem, `${path}.${name}`);
  const make = (changes) => {
    const next = { startDate, timezone: zoneOf(value), ...(cron === undefined ? { pattern } : { cron }), ...changes };
    onValue(next);
  };
  const choose = (one) => {
    const kept = { startDate, timezone: zoneOf(value) };
    onValue(one === "cron" ? { ...kept, cron: "0 3 * * MON-FRI" } : { ...kept, pattern: REPEATS[one][1] });
  };
  const every = pattern?.frequency === "recurrence" ? pattern.repeatType || "days" : "";
  const unit = every || (pattern?.type !== "daily" && UNITS[pattern?.type]);
  const known = REPEATS[repeat] ? [] : [[repeat, repeat]];
  const options = [...Object.entries(REPEATS).map(([one, [title]]) => [one, title]), ...known];
  return html`
    ${choice("repeat", "Repeats", options, repeat, choose, errorsOf(problem, path, false))}
    ${
      repeat === "cron" &&
      html`<${Labelled} label="Cron expression" hint="Minute, hour, day, month, weekday" errors=${wrong("cron")}>
        ${(rest) => html`<input
          name="cron"
          ...${rest}
          value=${cron}
          required
          autocomplete="off"
          onInput=${(event) => make({ cron: event.target.value })}
        />`}
      <//>`
    }
    ${
      repeat !== "never" &&
      html`<${Labelled} label="Start" errors=${wrong("startDate")}>
        ${(rest) => html`<input
          type="datetime-local"
          name="startDate"
          ...${rest}
          value=${startDate ? toInput(millis(startDate)) : ""}
          required
          onChange=${(event) => make({ startDate: fromInput(event.target.value) })}
        />`}
      <//>`
    }
    ${
      repeat !== "cron" &&
      pattern &&
      html`<${PatternFields}
        pattern=${pattern}
        unit=${unit}
        onValue=${(next) => make({ pattern: next })}
        problem=${problem}
        path=${`${path}.pattern`}
      />`
    }
    ${
      repeat !== "never" &&
      repeat !== "once" &&
      html`<${Labelled}
        label="Time zone"
        hint="Empty: GMT"
        errors=${[...wrong("timezone"), ...wrong("timeZone")]}
      >
        ${(rest) => html`<input
          name="timezone"
          ...${rest}
          value=${zoneOf(value)}
          autocomplete="off"
          onInput=${(event) => make({ timezone: event.target.value })}
        />`}
      <//>`
    }
  `;
}
