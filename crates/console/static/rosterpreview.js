// What a form would make of a roster: its next weeks as lanes, with gaps, overlaps and conflicts of its people.

import { call } from "./api.js";
import { bodyOf, requestOf } from "./bodyschema.js";
import { wordsOf } from "./conflictmarks.js";
import { html } from "./elements.js";
import { useAnswer, useEffect, useState } from "./hooks.js";
import { Lanes } from "./lanes.js";
import { Coverage, timelineLanes } from "./rostertimeline.js";
import { midnight, millis, wire } from "./time.js";

/** How long nobody types before the preview is asked for, in milliseconds. */
const PAUSE = 500;
const DAYS = 28;
/** How many conflicts are listed. */
const FEW = 5;

/** Whether there is somebody to show, and no shift without a name, which the service refuses. */
const isComplete = ({ shiftDetails = /** @type {any[]} */ ([]) }) =>
  shiftDetails.every((shift) => shift.name?.trim()) &&
  shiftDetails.some((shift) => shift.rotation?.order?.length || shift.users?.length || shift.userGroups?.length);

/** The conflicts of people, without the gaps, which the coverage names. */
function Conflicts({ timeline }) {
  const found = (timeline.conflicts || []).filter((one) => one.kind !== "gap");
  return (
    found.length > 0 &&
    html`<div class="gaps">
      <p>${found.length === 1 ? "One conflict" : `${found.length} conflicts`} of people with these and other shifts:</p>
      <ul>
        ${found.slice(0, FEW).map((one) => html`<li>${wordsOf(one)}</li>`)}
        ${found.length > FEW && html`<li>and ${found.length - FEW} more</li>`}
      </ul>
    </div>`
  );
}

/**
 * The preview below a form with `value`. With `roster` it is a change of that roster, and both versions are shown.
 * `requestFrom()` makes the request.
 */
export function RosterPreview({ value, roster = /** @type {any} */ (undefined), requestFrom }) {
  const key = JSON.stringify(value);
  const [settled, setSettled] = useState(key);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), PAUSE);
    return () => clearTimeout(timer);
  }, [key]);
  const begins = value.effectiveFrom ? millis(value.effectiveFrom) : Date.now();
  const from = midnight(Math.max(Date.now(), begins || 0), value.effectiveFrom ? -2 : 0);
  const to = midnight(from, DAYS);
  const query = { from: wire(from), to: wire(to) };
  const complete = isComplete(value);
  const answer = useAnswer(async (signal) => {
    if (!isComplete(JSON.parse(settled))) return undefined;
    if (roster) {
      const body = requestFrom();
      return call("previewRosterChange", { rosterId: roster.id, body, query, signal });
    }
    const body = requestFrom(requestOf(bodyOf("previewRoster"), { ...value, name: value.name?.trim() || "Preview" }));
    const after = await call("previewRoster", { body, query, signal });
    return { before: undefined, after };
  }, settled);
  const { before, after } = answer.data || {};
  const drawn = (timeline, label) =>
    html`<${Lanes} lanes=${timelineLanes({ id: label, name: "" }, timeline)} from=${from} to=${to} label=${label} />`;
  const unlike = before && JSON.stringify(before.entries) !== JSON.stringify(after?.entries);
  return html`<section class="wide preview" aria-label="Preview">
    <h3>${value.effectiveFrom ? "Four weeks around the change" : "The next four weeks"}</h3>
    ${
      !complete
        ? html`<p class="hint">Once a shift has people, this shows who is on call.</p>`
        : answer.problem
          ? html`<p class="hint" role="status">
            There is a preview once the form is complete:${" "}
            ${answer.problem.errors?.map((error) => error.message).join("; ") || answer.problem.message}
          </p>`
          : !after && html`<p class="hint" role="status">…</p>`
    }
    ${
      complete &&
      after &&
      !answer.problem &&
      html`
        <${Coverage} timeline=${after} />
        <${Conflicts} timeline=${after} />
        ${unlike && html`<p class="dim small">After the change:</p>`}
        ${drawn(after, "Schedule after the change")}
        ${unlike && html`<p class="dim small">As it is now:</p>${drawn(before, "Schedule as it is now")}`}
      `
    }
  </section>`;
}
