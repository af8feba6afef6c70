// What a maintenance window would cover, when it would be open, and with which other windows it would overlap: shown
// while its form is filled in.

import { call } from "../api.js";
import { bodyOf, requestOf } from "../bodyschema.js";
import { Button, Time, Trouble, count, html } from "../elements.js";
import { useEffect, useRef, useState } from "../hooks.js";
import { machinesAtSite, machinesByHostName, machinesInGroup } from "../machines.js";
import { recordWords } from "../references.js";
import { link } from "../route.js";
import { DAY, millis, wire } from "../time.js";

/** How many machines are named of each target, and how many occurrences. */
const NAMED = 5;
const SHOWN = 6;
/** How long nobody types before the preview is asked for, in milliseconds. */
const PAUSE = 600;
/** How many days are looked at. */
const DAYS = 60;
/** How many targets of a kind are compared with other windows. */
const COMPARED = 50;

/** The machines that targets mean, target by target: `{target, total, rows}`. */
async function coverage({ devices = [], deviceGroups = [], locations = [] }) {
  const found = async (target, page) => {
    const { total, rows } = await page;
    return { target, total, rows: rows.slice(0, NAMED) };
  };
  const machine = (one) =>
    one.typed === undefined
      ? Promise.resolve({ total: 1, rows: [{ ...one, id: one.uniqueId || one.id }] })
      : machinesByHostName(one.typed);
  return Promise.all([
    ...devices.map((one) => found(recordWords(one), machine(one))),
    ...deviceGroups.map((one) => found(`the group ${recordWords(one)}`, machinesInGroup(recordWords(one)))),
    ...locations.map((one) => found(`the site ${recordWords(one)}`, machinesAtSite(recordWords(one)))),
  ]);
}

/** Occurrences of other windows that cover some of the same and are open at the same time as one of `occurrences`. */
async function overlaps(covered, occurrences, own) {
  const ids = [...new Set(covered.flatMap((one) => one.rows.map((row) => row.id)))].slice(0, COMPARED);
  if (!ids.length || !occurrences.length) return [];
  const last = occurrences[occurrences.length - 1];
  const { results } = await call("listAllMaintenanceOccurrences", {
    query: {
      from: occurrences[0].start,
      to: last.end,
      queryString: `resourceId:${ids.join(",")}`,
      pageSize: 500,
      isDescendingOrder: "false",
    },
  });
  const times = occurrences.map((one) => [millis(one.start), millis(one.end)]);
  const meets = (other) => times.some(([start, end]) => millis(other.start) < end && start < millis(other.end));
  return results.filter((other) => other.window.uniqueId !== own && meets(other));
}

/** The answer for the values of a form: `{occurrences, covered, meeting}`. */
async function look(values, own) {
  const from = Math.min(Date.now(), millis(values.schedule?.startTime) || Date.now());
  const body = requestOf(bodyOf("createMaintenanceWindow"), { ...values, name: values.name || "preview" });
  const [found, covered] = await Promise.all([
    call("previewMaintenanceWindow", { query: { from: wire(from), to: wire(from + DAYS * DAY) }, body }),
    coverage(values),
  ]);
  return { occurrences: found.results, covered, meeting: await overlaps(covered, found.results, own) };
}

/** Other windows that overlap, each once with the first time. */
function Overlap({ meeting }) {
  const firsts = [...new Map(meeting.map((one) => [one.window.uniqueId, one]).reverse()).values()].reverse();
  return html`<div class="note" role="status">
    <p>It overlaps with ${firsts.length === 1 ? "another window" : `${firsts.length} other windows`}:</p>
    <ul>
      ${firsts.slice(0, SHOWN).map(
        (one) => html`<li>
          <a href=${link("maintenance", { window: one.window.uniqueId })} target="_blank">${one.window.name}</a>,${" "}
          <${Time} at=${one.start} /> to <${Time} at=${one.end} />
        </li>`,
      )}
    </ul>
  </div>`;
}

/** What a window would cover, and when. */
function Answer({ covered, occurrences, meeting }) {
  return html`
    <div class="preview" role="status">
      <p>It covers:</p>
      <ul>
        ${covered.map(
          (one) => html`<li>
            ${one.target}:${" "}
            ${
              one.total
                ? html`
                    <strong>${count(one.total)} ${one.total === 1 ? "machine" : "machines"}</strong>${" "}
                    <span class="dim">
                      ${one.rows.map((row) => row.hostName || row.name).join(", ")}
                      ${one.total > one.rows.length && " …"}
                    </span>
                  `
                : html`<span class="gaps">no machine</span>`
            }
          </li>`,
        )}
      </ul>
      ${
        occurrences.length
          ? html`
              <p>In ${DAYS} days it is open ${occurrences.length === 1 ? "once" : `${occurrences.length} times`}:</p>
              <ul>
                ${occurrences
                  .slice(0, SHOWN)
                  .map((one) => html`<li><${Time} at=${one.start} /> to <${Time} at=${one.end} /></li>`)}
                ${occurrences.length > SHOWN && html`<li>and so on</li>`}
              </ul>
            `
          : html`<p>It is never open.</p>`
      }
    </div>
    ${meeting.length > 0 && html`<${Overlap} meeting=${meeting} />`}
  `;
}

/**
 * The preview below a form with `value`; `own` is the id of the window that is changed. It follows what is typed, and
 * says what is wrong only when it is asked to.
 */
export function WindowPreview({ value, own = "" }) {
  const [shown, setShown] = useState(/** @type {any} */ ({}));
  const round = useRef(0);
  const timer = useRef(0);
  const ask = async (loud) => {
    clearTimeout(timer.current);
    const mine = ++round.current;
    try {
      const answer = await look(value, own);
      if (mine === round.current) setShown(answer);
    } catch (problem) {
      if (mine === round.current) setShown(loud ? { problem } : {});
    }
  };
  const { devices, deviceGroups, locations, schedule } = value;
  const hasTargets = [devices, deviceGroups, locations].some((list) => list?.length);
  useEffect(() => {
    if (hasTargets) timer.current = setTimeout(() => ask(false), PAUSE);
    return () => clearTimeout(timer.current);
  }, [JSON.stringify([devices, deviceGroups, locations, schedule])]);
  return html`<div class="field wide">
    <${Button} onClick=${() => ask(true)}>Preview<//>
    ${shown.problem && html`<${Trouble} problem=${shown.problem} />`}
    ${shown.occurrences && html`<${Answer} ...${shown} />`}
  </div>`;
}
