// Times: as the service writes them, as people read them where they are.

const MINUTE = 60e3,
  HOUR = 3600e3,
  DAY = 86400e3;
export { MINUTE, HOUR, DAY };

/** Milliseconds of `2026-11-20T20:37:00+0000`. */
export const millis = (text) => Date.parse(String(text).replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));

/** As a request has it. */
export const wire = (time) => new Date(time).toISOString().slice(0, 19) + "Z";

const dateTime = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const longer = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
export const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric" });

export const day = (time) => weekday.format(time);

/** Short and local: the hour today, the date as well on other days, the year in others. */
export function short(time, now = Date.now()) {
  const [at, today] = [new Date(time), new Date(now)];
  if (Number.isNaN(at.getTime())) return "";
  if (at.toDateString() === today.toDateString()) return clock.format(at);
  return (at.getFullYear() === today.getFullYear() ? dateTime : longer).format(at);
}

export const full = (time) => longer.format(new Date(time));
export const gmt = (time) => `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} GMT`;

/** `8 s`, `4 min`, `3 h 10 min`, `2 d`. */
export function span(length) {
  const seconds = Math.round(length / 1000);
  if (seconds < 1) return "less than 1 s";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(length / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 && hours < 6 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return days < 4 && hours % 24 ? `${days} d ${hours % 24} h` : `${days} d`;
}

/** The local midnight before a time. */
export function midnight(time, days = 0) {
  const at = new Date(time);
  at.setHours(0, 0, 0, 0);
  at.setDate(at.getDate() + days);
  return at.getTime();
}

/** What `<input type="datetime-local">` holds, and back. */
export function toInput(time) {
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}
/**
 * Nothing for nothing, of which the service says that it is missing.
 * @type {(text: FormDataEntryValue | undefined) => any}
 */
export const fromInput = (text) => (text ? wire(new Date(String(text)).getTime()) : undefined);

/** What the clocks of a time zone show at an instant, as the instant at which those of GMT show it. */
export function wallIn(timeZone, time) {
  const shown = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(time);
  const [year, month, date, hour, minute, second] = ["year", "month", "day", "hour", "minute", "second"].map((kind) =>
    Number(shown.find((part) => part.type === kind)?.value),
  );
  return Date.UTC(year, month - 1, date, hour, minute, second);
}

/**
 * The first instant at which the clocks of a time zone show what those of GMT show at `wall`; of a time that they skip,
 * the instant after the gap.
 */
export function instantIn(timeZone, wall) {
  const [before, after] = [-DAY, DAY].map((away) => wallIn(timeZone, wall + away) - wall - away);
  const found = [wall - before, wall - after].find((time) => wallIn(timeZone, time) === wall);
  if (found !== undefined) return found;
  // The clocks skip it: between the two is the first instant that is later.
  let [early, late] = [wall - after, wall - before];
  while (late - early > 1000) {
    const middle = Math.floor((early + late) / 2000) * 1000;
    if (wallIn(timeZone, middle) < wall) early = middle;
    else late = middle;
  }
  return late;
}

/** A time zone by its name, or that of the browser where it knows none of this name. */
export function zoneOr(name) {
  try {
    return Intl.DateTimeFormat(undefined, { timeZone: name || zone }).resolvedOptions().timeZone;
  } catch {
    return zone;
  }
}

/** How far the zone is from GMT now: `GMT+1`. */
export const offset =
  new Intl.DateTimeFormat("en", { timeZoneName: "shortOffset" })
    .formatToParts()
    .find((part) => part.type === "timeZoneName")?.value || "";
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "GMT";
