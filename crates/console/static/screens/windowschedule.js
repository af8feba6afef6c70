// The part of the form of a maintenance window that says when it is open: once, or by one of the patterns.

import { html } from "../elements.js";
import { useEffect, useState } from "../hooks.js";
import { PatternFields, UNITS, choice } from "../patternfields.js";
import { findRecords } from "../references.js";
import { Labelled, errorsOf } from "../schemacontrols.js";
import { DAY, clock, fromInput, millis, toInput, wire, zone } from "../time.js";

/** The choices of how a window repeats, and the pattern that each begins with. */
const REPEATS = {
  once: ["Once", undefined],
  daily: ["Every day", { type: "daily", dayFrequency: "everyday" }],
  weekdays: ["Every weekday", { type: "daily", dayFrequency: "every weekday" }],
  days: ["Every few days", { type: "daily", dayFrequency: "recurrence", repeatFrequency: 2 }],
  weekly: ["Every week", { type: "weekly" }],
  monthly: ["Every month", { type: "monthly" }],
  yearly: ["Every year", { type: "yearly" }],
};

/** Which of the choices a schedule is. */
function repeatOf({ pattern }) {
  if (!pattern) return "once";
  if (pattern.type !== "daily") return pattern.type;
  if (pattern.dayFrequency === "every weekday") return "weekdays";
  return pattern.dayFrequency === "recurrence" || pattern.repeatFrequency > 1 ? "days" : "daily";
}

/** The time of day of an instant on the day of another, here. */
function timeOn(day, time) {
  const [at, on] = [new Date(time), new Date(day)];
  on.setHours(at.getHours(), at.getMinutes(), at.getSeconds(), 0);
  return on.getTime();
}

/** When the first occurrence ends: of the end of a recurring window, the time of day counts. */
export function firstEnd(schedule) {
  const [start, end] = [millis(schedule.startTime), millis(schedule.endTime)];
  if (!schedule.pattern || !(end > start)) return end;
  const same = timeOn(start, end);
  return same > start ? same : timeOn(start + DAY, end);
}

/** A schedule that a form begins with: two hours from the next full hour. */
export function startSchedule() {
  const hour = Math.ceil(Date.now() / 3600e3) * 3600e3;
  return { type: "One-Time", startTime: wire(hour), endTime: wire(hour + 2 * 3600e3) };
}

/** How a schedule repeats, in words. @param {any} schedule */
export function repeatWords({ pattern, timezone }) {
  if (!pattern) return "";
  const { repeatFrequency: every = 1 } = pattern;
  const unit = UNITS[pattern.type];
  const how =
    every > 1 ? `every ${every} ${unit}` : pattern.dayFrequency === "every weekday" ? "every weekday" : pattern.type;
  const on = [
    pattern.weekDays,
    pattern.weekIndex && `${pattern.weekIndex.toLowerCase()} ${pattern.dayOfWeek}`,
    pattern.dayOfMonth && `day ${pattern.dayOfMonth}`,
    pattern.months,
  ].filter(Boolean);
  return `${[how, ...on].join(", ")} (${timezone})`;
}

const wall = (time, timeZone) =>
  new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone }).format(time);

/** The hours in the time zone of the window, where they are others than here. */
function hoursThere({ pattern, timezone, startTime }, end) {
  const start = millis(startTime);
  if (!pattern || !timezone || !start || !end) return "";
  try {
    const there = `${wall(start, timezone)} to ${wall(end, timezone)}`;
    return there === `${clock.format(start)} to ${clock.format(end)}` ? "" : `${there} in ${timezone}`;
  } catch {
    return "";
  }
}

/** The control of a schedule, with the values that a request has. */
export function ScheduleField({ value = /** @type {any} */ (startSchedule()), onValue, problem, path }) {
  const [zones, setZones] = useState(/** @type {any[]} */ ([]));
  const repeat = repeatOf(value);
  const recurring = repeat !== "once";
  useEffect(() => {
    if (recurring && !zones.length) findRecords("timeZone", "", undefined).then(setZones, () => {});
  }, [recurring]);
  const ends = firstEnd(value);
  const until = recurring && value.endBy !== "NEVER" ? toInput(millis(value.endTime)).slice(0, 10) : "";
  /** A request of the parts of the form. */
  const make = (changes) => {
    // Another start moves the end with it.
    const moved = changes.start - millis(value.startTime);
    if (moved) changes.end = ends + moved;
    const now = { start: millis(value.startTime), end: ends, until, pattern: value.pattern, ...changes };
    const { start, end, pattern } = now;
    const time = (at) => (Number.isNaN(at) ? undefined : wire(at));
    if (!pattern) return onValue({ type: "One-Time", startTime: time(start), endTime: time(end) });
    const last = now.until ? timeOn(new Date(`${now.until}T12:00`).getTime(), end) : end;
    return onValue({
      type: "Recurring",
      startTime: time(start),
      endTime: time(last),
      timezone: now.timezone ?? value.timezone ?? (zone === "UTC" ? "Europe/London" : zone),
      pattern,
      ...(now.until ? {} : { endBy: "NEVER" }),
    });
  };
  const wrong = (name) => errorsOf(problem, `${path}.${name}`);
  const instant = (
    name,
    label,
    at,
    errors,
    hint = "",
  ) => html`<${Labelled} label=${label} errors=${errors} hint=${hint}>
    ${(rest) => html`<input
      type="datetime-local"
      name=${name}
      ...${rest}
      value=${Number.isNaN(at) ? "" : toInput(at)}
      required
      onChange=${(event) => make({ [name]: event.target.value ? millis(fromInput(event.target.value)) : NaN })}
    />`}
  <//>`;
  return html`
    ${choice(
      "repeat",
      "Repeats",
      Object.entries(REPEATS).map(([one, [title]]) => [one, title]),
      repeat,
      (one) => make({ pattern: REPEATS[one][1], ...(one === "once" ? { until: "" } : {}) }),
      errorsOf(problem, path, false),
    )}
    ${instant("start", "From", millis(value.startTime), wrong("startTime"))}
    ${instant("end", "To", ends, wrong("endTime"), hoursThere(value, ends))}
    ${
      recurring &&
      html`
        <${PatternFields}
          pattern=${value.pattern}
          unit=${repeat !== "daily" && repeat !== "weekdays" && UNITS[value.pattern.type]}
          onValue=${(pattern) => make({ pattern })}
          problem=${problem}
          path=${`${path}.pattern`}
        />
        <${Labelled} label="Last day" hint="Empty: without an end" errors=${wrong("endBy")}>
          ${(rest) => html`<input
            type="date"
            name="until"
            ...${rest}
            value=${until}
            onChange=${(event) => make({ until: event.target.value })}
          />`}
        <//>
        <${Labelled} label="Time zone" errors=${wrong("timezone")}>
          ${(rest) => html`<input
            name="timezone"
            list="zones"
            required
            ...${rest}
            value=${value.timezone ?? ""}
            onInput=${(event) => make({ timezone: event.target.value })}
          />`}
        <//>
        <datalist id="zones">${zones.map((one) => html`<option value=${one.name}></option>`)}</datalist>
      `
    }
  `;
}
