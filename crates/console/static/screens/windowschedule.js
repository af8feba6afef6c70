// The part of the form of a maintenance window that says when it is open: once, or by one of the patterns.

import { html } from "../elements.js";
import { useEffect, useState } from "../hooks.js";
import { PatternFields, UNITS, choice, spaced } from "../patternfields.js";
import { findRecords } from "../references.js";
import { Labelled, errorsOf } from "../schemacontrols.js";
import { DAY, clock, fromInput, instantIn, millis, toInput, wallIn, wire, zone, zoneOr } from "../time.js";

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

/** The longest that a window of a pattern may last, days on end: by the first and the last of these days. */
const LONG = 7 * DAY;

/** The part of a wall time that is its time of day. */
const timeOf = (wall) => ((wall % DAY) + DAY) % DAY;
const dateOf = (wall) => wall - timeOf(wall);

/** Start and end of a schedule on the clocks of its time zone, and what turns such a time into an instant. */
function clocksOf({ startTime, endTime, timezone }) {
  const there = zoneOr(timezone);
  const [start, end] = [millis(startTime), millis(endTime)].map((time) => (time ? wallIn(there, time) : NaN));
  return { start, end, instant: (wall) => (Number.isNaN(wall) ? NaN : instantIn(there, wall)) };
}

/**
 * Whether a window of a monthly or yearly pattern lasts from its start to its end, days perhaps, without a last day.
 * @param {any} schedule
 */
const isLong = ({ pattern, startTime, endTime, endBy }) =>
  ["monthly", "yearly"].includes(pattern?.type) &&
  endBy !== "NEVER" &&
  millis(endTime) - millis(startTime) > DAY &&
  millis(endTime) - millis(startTime) <= LONG;

/** When the first occurrence ends: of the end of a recurring window, the time of day counts, in its time zone. */
export function firstEnd(schedule) {
  const last = millis(schedule.endTime);
  if (!schedule.pattern || !(last > millis(schedule.startTime)) || isLong(schedule)) return last;
  const { start, end, instant } = clocksOf(schedule);
  const same = dateOf(start) + timeOf(end);
  return instant(same > start ? same : same + DAY);
}

/** The day on which the last occurrence begins, in the time zone of the window; "" where it has no end. */
export function lastDay(schedule) {
  if (!schedule.pattern || schedule.endBy === "NEVER" || isLong(schedule)) return "";
  const { start, end } = clocksOf(schedule);
  if (Number.isNaN(end)) return "";
  const last = timeOf(start) < timeOf(end) ? end : end - DAY;
  return new Date(last).toISOString().slice(0, 10);
}

/** The end of a schedule whose last occurrence begins on a day: nothing begins after it. */
export function endOn(day, schedule) {
  const { start, end, instant } = clocksOf(schedule);
  const last = Date.parse(`${day}T00:00:00Z`) + timeOf(end);
  return instant(timeOf(start) < timeOf(end) ? last : last + DAY);
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
  return `${spaced([how, ...on].join(", "))} (${timezone})`;
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
  const until = lastDay(value);
  // Whether the end that was asked for was set back.
  const [isCut, setCut] = useState(false);
  /** A request of the parts of the form. */
  const make = (changes) => {
    // Another start moves the end with it.
    const moved = changes.start - millis(value.startTime);
    if (moved) changes.end = ends + moved;
    const now = { start: millis(value.startTime), end: ends, until, pattern: value.pattern, ...changes };
    const { start, end, pattern } = now;
    const time = (at) => (Number.isNaN(at) ? undefined : wire(at));
    if (!pattern) return onValue({ type: "One-Time", startTime: time(start), endTime: time(end) });
    const next = {
      type: "Recurring",
      startTime: time(start),
      endTime: time(end),
      timezone: now.timezone ?? value.timezone ?? zone,
      pattern,
    };
    if (isLong(value) && isLong(next) && !now.until) return onValue(next);
    const first = firstEnd({ ...next, endBy: "NEVER" });
    if ("end" in changes || "pattern" in changes) setCut(first < end);
    if (!now.until) return onValue({ ...next, endTime: time(first), endBy: "NEVER" });
    return onValue({ ...next, endTime: time(endOn(now.until, next)) });
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
    ${instant(
      "end",
      "To",
      ends,
      wrong("endTime"),
      isCut ? "It was set back: what repeats by a pattern lasts a day at most" : hoursThere(value, ends),
    )}
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
        <${Labelled}
          label="Last day"
          hint="On which it begins for the last time; empty: without an end"
          errors=${wrong("endBy")}
        >
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
