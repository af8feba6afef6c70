// Conflicts on lanes: a mark where each is, which says what it is and leads to it in the list.

import { html, personName } from "./elements.js";
import { useState } from "./hooks.js";
import { full, millis } from "./time.js";

/** What the kinds of conflicts are called. */
export const WORDS = {
  gap: "Gap",
  doubleBooking: "Double booking",
  timeOff: "Time off",
  rest: "Too little rest",
  nights: "Nights in a row",
};

/** How much of a lane a mark has for itself: 24 pixels where a lane is narrowest. */
const APART = 0.034;

/** @param {{roster: any, shift?: any}} one */
export const shiftName = ({ roster, shift }) => (shift ? `${roster.name} · ${shift.name}` : roster.name);

/** A conflict in words. */
export const wordsOf = (one) => {
  const others = one.others?.length ? ` and ${one.others.map(shiftName).join(", ")}` : "";
  const where = [one.user && personName(one.user), shiftName(one) + others].filter(Boolean).join(", ");
  return `${WORDS[one.kind] || one.kind}: ${where}, ${full(millis(one.from))} to ${full(millis(one.to))}`;
};

const touches = (part, one) => millis(part.start) <= millis(one.to) && millis(part.end) >= millis(one.from);

/**
 * The lane, `{lane, place}`, on which a shift is at the time of a conflict; `own` are those of its roster.
 * @param {any[]} own
 */
function laneOf(own, shift, one) {
  const isIts = (part) => part.shift?.id === shift?.id && touches(part, one);
  const isTheirs = (part) => isIts(part) && part.users?.some((user) => user.id === one.user?.id);
  const find = (fits) => own.find(({ lane }) => lane.parts.some(fits));
  return (shift && (find(isTheirs) || find(isIts))) || own[0];
}

const isGap = (one) => one.kind === "gap";

/** Marks that would lie on each other are one, in which gaps come last. */
function apart(marks) {
  const all = [];
  for (const mark of marks.sort((one, other) => one.at - other.at)) {
    const last = all[all.length - 1];
    if (last && mark.at - last.at < APART) last.conflicts.push(...mark.conflicts);
    else all.push({ ...mark });
  }
  for (const { conflicts } of all) conflicts.sort((one, other) => Number(isGap(one)) - Number(isGap(other)));
  return all;
}

/**
 * Lanes with `marks`, `{at, conflicts}`, `at` being a share of the time from `from` to `to`, and `conflicts` what the
 * service lists, each with its `words`.
 */
export function withMarks(lanes, conflicts, from, to) {
  const marks = /** @type {any[][]} */ (lanes.map(() => []));
  /** @type {Map<string, any[]>} */
  const rosters = new Map();
  for (const [place, lane] of lanes.entries())
    rosters.set(lane.roster, [...(rosters.get(lane.roster) || []), { lane, place }]);
  for (const conflict of conflicts) {
    // People rest between two shifts: what is wrong is where the later one begins.
    const begin = Math.max(from, millis(conflict.kind === "rest" ? conflict.to : conflict.from));
    const middle = (begin + Math.min(to, millis(conflict.to))) / 2;
    const at = Math.min(1 - APART / 2, Math.max(APART / 2, (middle - from) / (to - from)));
    const one = { ...conflict, words: wordsOf(conflict) };
    const shifts = conflict.kind === "doubleBooking" ? [conflict, ...(conflict.others || [])] : [conflict];
    const places = shifts.map(({ roster, shift }) => laneOf(rosters.get(roster.id) || [], shift, conflict)?.place);
    for (const place of new Set(places)) marks[place]?.push({ at, conflicts: [one] });
  }
  return lanes.map((lane, place) => ({ ...lane, marks: apart(marks[place]) }));
}

/**
 * What lanes with marks have more: the marks of a lane, what their frame listens to, and the words of the mark that is
 * looked at. Tab leads to one mark, and arrow keys lead to the others. `onMark` gets the first conflict of a mark that
 * is pressed.
 * @param {any[]} lanes
 * @param {((conflict: any) => void) | undefined} onMark
 */
export function useMarks(lanes, onMark) {
  const [current, setCurrent] = useState("");
  const [shown, setShown] = useState(/** @type {any} */ (undefined));
  const all = lanes.flatMap((lane) => (lane.marks || []).map((mark) => `${lane.id} ${mark.at}`));
  if (!all.length) return { frame: {}, marksOf: () => null, words: null };
  const stop = all.includes(current) ? current : all[0];
  const onKeyDown = (event) => {
    const buttons = [...event.currentTarget.querySelectorAll(".mark")];
    const at = buttons.indexOf(event.target);
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1 }[
      event.key
    ];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    buttons.at(next % buttons.length).focus();
  };
  const marksOf = (lane) =>
    (lane.marks || []).map((mark) => {
      const id = `${lane.id} ${mark.at}`;
      const { length, [0]: first } = mark.conflicts;
      return html`<button
        key=${id}
        type="button"
        class=${isGap(first) ? "mark quiet" : "mark"}
        style=${{ left: `${mark.at * 100}%` }}
        tabindex=${id === stop ? "0" : "-1"}
        aria-label=${(length > 1 ? `${length} conflicts: ` : "") + mark.conflicts.map((one) => one.words).join("; ")}
        onFocus=${() => (setCurrent(id), setShown(mark))}
        onPointerEnter=${() => setShown(mark)}
        onClick=${() => onMark?.(first)}
      >
        ${length > 1 ? length : "!"}
      </button>`;
    });
  const words = html`<div class="small mark-words">
    ${
      shown
        ? html`<ul>${shown.conflicts.map((one) => html`<li>${one.words}</li>`)}</ul>`
        : html`<p class="dim">Marks are conflicts: pressing one leads to it in the list.</p>`
    }
  </div>`;
  return { frame: { role: "toolbar", "aria-label": "Conflicts", onKeyDown }, marksOf, words };
}
