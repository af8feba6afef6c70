// The timeline of a roster: lanes, one for each level, its gaps and overlaps in words, and a list by day.

import { Time, html, personName } from "./elements.js";
import { COLOURS } from "./lanes.js";
import { clock, day, midnight, millis, span } from "./time.js";

/** How many gaps and overlaps are named. */
const NAMED = 5;

/** The golden ratio, by which neighbouring numbers are spread. */
const GOLDEN = 0.618034;

/** The level of a shift; one without is called first. */
export const levelOf = (one) => one?.level || "primary";

/** The colour of a person, everywhere the same: numbers that differ little get unlike ones. */
const colourOf = (user) => Math.floor((((Number(user?.id?.slice(-6)) || 0) * GOLDEN) % 1) * COLOURS);

/** Entries by level, the first called first. */
export function byLevel(entries) {
  const levels = new Map();
  for (const entry of entries) levels.set(levelOf(entry), [...(levels.get(levelOf(entry)) || []), entry]);
  return [...levels].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Entries in rows, so that those of one row never take place at the same time. */
function rowsOf(entries) {
  /** @type {any[][]} */
  const rows = [];
  for (const entry of [...entries].sort((one, other) => millis(one.start) - millis(other.start))) {
    const row = rows.find((one) => millis(one[one.length - 1].end) <= millis(entry.start));
    row ? row.push(entry) : rows.push([entry]);
  }
  return rows;
}

const partOf = (entry) => {
  const names = entry.users.map(personName).join(", ");
  const { start, end, shift, users } = entry;
  return {
    start,
    end,
    shift,
    users,
    text: names || "nobody",
    gap: !users.length,
    colour: colourOf(users[0]),
  };
};

/**
 * The lanes of a roster `{id, name}`: one for each level, and more where shifts of a level overlap. Without a name they
 * are called by their level.
 */
export function timelineLanes(roster, timeline) {
  const gaps = timeline.gaps.map((gap) => ({ ...gap, gap: true, text: "nobody" }));
  const levels = byLevel(timeline.entries);
  if (!levels.length) levels.push(["primary", []]);
  return levels.flatMap(([level, entries], place) => {
    const rows = rowsOf(entries);
    if (!rows.length) rows.push([]);
    return rows.map((row, at) => {
      const name = levels.length > 1 ? [roster.name, level].filter(Boolean).join(" · ") : roster.name || level;
      const parts = [...(place + at === 0 ? gaps : []), ...row.map(partOf)];
      return {
        id: `${roster.id} ${level} ${at}`,
        roster: roster.id,
        level,
        levels: levels.length,
        short: roster.name && place + at > 0 ? `↳ ${level}${at ? ` (${at + 1})` : ""}` : "",
        name: at ? `${name} (${at + 1})` : name,
        note: `(covered ${timeline.coverage} % of the time)`,
        parts: parts.sort((one, other) => millis(one.start) - millis(other.start)),
      };
    });
  });
}

const more = (list) => (list.length > NAMED ? ` and ${list.length - NAMED} more` : "");

/** Gaps and overlaps of a timeline in words. */
export function Coverage({ timeline }) {
  const { gaps, overlaps, coverage } = timeline;
  const length = (one) => millis(one.end) - millis(one.start);
  return html`
    <p class=${gaps.length ? "gaps" : "dim"}>
      ${
        gaps.length
          ? html`${gaps.length === 1 ? "One gap" : `${gaps.length} gaps`} in which nobody is on call (covered${" "}
            ${coverage} %):${" "}
            ${gaps
              .slice(0, NAMED)
              .map(
                (gap, at) => html`${at > 0 && ", "}<${Time} at=${gap.start} /> for ${span(length(gap))}`,
              )}${more(gaps)}.`
          : "Somebody is on call all the time."
      }
    </p>
    ${
      overlaps.length > 0 &&
      html`<p class="gaps">
        ${overlaps.length === 1 ? "One overlap" : `${overlaps.length} overlaps`}:${" "}
        ${overlaps.slice(0, NAMED).map(
          (one, at) => html`${at > 0 && ", "}${one.shifts.map((shift) => shift.name).join(" and ")} from${" "}
            <${Time} at=${one.start} /> for ${span(length(one))}`,
        )}${more(overlaps)}.
      </p>`
    }
  `;
}

/** Who is on call when, day by day: what telephones show in place of lanes. */
export function TimelineList({ timeline, from, to }) {
  const rows = [...timeline.entries, ...timeline.gaps.map((gap) => ({ ...gap, users: [], gap: true }))].sort(
    (one, other) => millis(one.start) - millis(other.start) || levelOf(one).localeCompare(levelOf(other)),
  );
  const days = [];
  for (let at = from; at < to; at = midnight(at, 1)) {
    const here = rows.filter((row) => millis(row.start) < midnight(at, 1) && millis(row.end) > at);
    if (here.length) days.push([at, here]);
  }
  const time = (row, at) => {
    const begins = millis(row.start) > at && clock.format(millis(row.start));
    const ends = millis(row.end) < midnight(at, 1) && clock.format(millis(row.end));
    if (begins && ends) return `${begins} to ${ends}`;
    return begins ? `from ${begins}` : ends ? `until ${ends}` : "all day";
  };
  return html`<ul class="plain-list agenda" aria-label="Schedule by day">
    ${days.map(
      ([at, here]) => html`<li key=${at}>
        <strong>${day(at)}</strong>
        ${here.map(
          (row) => html`<div class=${row.gap || !row.users.length ? "gaps" : ""}>
            <span class="dim">${time(row, at)}</span> ${row.users.map(personName).join(", ") || "nobody"}${" "}
            ${row.level && html`<span class="dim">${row.level}</span>`}
          </div>`,
        )}
      </li>`,
    )}
  </ul>`;
}
