// Dialogs in which somebody takes over a time, or two people swap theirs: on the board and on the page of a roster.

import { call, session } from "./api.js";
import { FormDialog } from "./dialog.js";
import { Trouble, count, html, personName } from "./elements.js";
import { Field } from "./form.js";
import { useAnswer, useRef, useState } from "./hooks.js";
import { searchPeople } from "./peoplesearch.js";
import { wordsAmong } from "./references.js";
import { levelOf } from "./rostertimeline.js";
import { fromInput, full, millis, toInput, wire } from "./time.js";
import { say } from "./toast.js";

/** How many people are offered. */
const MOST = 1000;

/** Whether an override was refused since its shift does not take place in its time. */
const isAbsent = ({ status, errors }) =>
  status === 400 && errors.length === 1 && errors[0].fieldName === "shift" && /take place/.test(errors[0].message);

/**
 * The part of a roster that somebody takes over: all of it, the shifts of a level, or one shift. A roster with several
 * levels begins with one of them.
 */
function Part({ roster, given, problem, onShifts }) {
  const read = useAnswer(async (signal) => {
    const { shiftDetails, allClients } = await call("getRoster", { rosterId: roster, signal });
    onShifts(shiftDetails, Boolean(allClients));
    return { roster, shifts: shiftDetails };
  }, roster);
  if (!roster || read.data?.roster !== roster) return html`<${Trouble} problem=${read.problem} />`;
  const { shifts } = read.data;
  const levels = [...new Set(shifts.map(levelOf))].sort();
  const several = levels.length > 1;
  const chosen = given.shift || (several ? `level ${given.level || levels[0]}` : "");
  const options = [
    ["", several ? "Whole roster, all levels" : "Whole roster"],
    ...(several ? levels.map((level) => [`level ${level}`, `All ${level} shifts`]) : []),
    ...shifts.map((shift) => [shift.id, several ? `${shift.name} (${levelOf(shift)})` : shift.name]),
  ];
  return html`<${Field} as="select" name="shift" label="Shift" problem=${problem} key=${roster}>
    ${options.map(([value, title]) => html`<option value=${value} selected=${value === chosen}>${title}</option>`)}
  <//>`;
}

/**
 * Somebody takes over a time. `given` is what the form begins with: roster, level, shift, start and end.
 * @param {{rosters: {id: string, name: string}[], given: any, onClose: () => void, onDone: () => void}} given
 */
export function OverrideDialog({ rosters, given, onClose, onDone }) {
  const people = useAnswer(
    (signal) => searchPeople({ signal, query: { sortName: "loginName" }, most: MOST }),
    "people",
  );
  const [roster, setRoster] = useState(given.roster || rosters[0]?.id);
  const shifts = useRef(/** @type {any[]} */ ([]));
  // A partner's own roster has no people of its clients.
  const [ownOnly, setOwnOnly] = useState(false);
  // What was made before a later override failed is not made again.
  const made = useRef(new Map());
  const send = async (values) => {
    const level = /^level (.*)/.exec(values.shift || "")?.[1];
    const chosen = level
      ? shifts.current.filter((shift) => levelOf(shift) === level)
      : [shifts.current.find((shift) => shift.id === values.shift)];
    let absent = /** @type {any} */ (undefined);
    for (const shift of chosen) {
      const body = {
        user: { id: values.user },
        start: fromInput(values.start),
        end: fromInput(values.end),
        shift: shift && { id: shift.id },
        note: values.note || undefined,
      };
      const key = JSON.stringify([values.roster, body]);
      if (made.current.has(key)) continue;
      try {
        await call("createRosterOverride", { rosterId: values.roster, body });
      } catch (problem) {
        // Of several shifts, those that do not take place then are left out.
        if (chosen.length > 1 && isAbsent(problem)) {
          absent = problem;
          continue;
        }
        const names = [...made.current.values()];
        if (names.length) {
          problem.message += ` Taken over already: ${names.join(", ")}.`;
          onDone();
        }
        throw problem;
      }
      made.current.set(key, shift?.name);
    }
    const names = [...made.current.values()];
    if (absent && !names.length) throw absent;
    if (chosen.length > 1) say(`Taken over: ${names.join(", ")}.`);
    onDone();
  };
  const { people: found = [], more = false } = people.data || {};
  const hint = more ? `The first ${count(found.length)} people.` : "";
  const offered = found.filter((user) => !ownOnly || user.tenantId === session.tenant);
  const words = wordsAmong(offered, personName);
  // What was marked on a lane is not what was typed before.
  return html`<${FormDialog}
    title="New override"
    send="Take over"
    onSend=${send}
    onClose=${onClose}
    keep=${given.roster ? undefined : "override"}
  >
    ${(problem) => html`
      <${Trouble} problem=${people.problem} />
      <${Field}
        as="select"
        name="roster"
        label="Roster"
        problem=${problem}
        required
        onChange=${(event) => setRoster(event.target.value)}
      >
        ${rosters.map((one) => html`<option value=${one.id} selected=${one.id === roster}>${one.name}</option>`)}
      <//>
      <${Field} as="select" name="user" label="Person" problem=${problem} required hint=${hint}>
        ${offered.map((user) => html`<option value=${user.id}>${words(user)}</option>`)}
      <//>
      <${Part}
        roster=${roster}
        given=${given.roster === roster ? given : {}}
        problem=${problem}
        onShifts=${(list, own) => {
          setOwnOnly(own);
          shifts.current = list;
        }}
      />
      <${Field}
        type="datetime-local"
        name="start"
        label="From"
        problem=${problem}
        value=${toInput(given.start)}
        required
      />
      <${Field} type="datetime-local" name="end" label="To" problem=${problem} value=${toInput(given.end)} required />
      <${Field} name="note" label="Note" problem=${problem} wide hint="Times are in your time zone." />
    `}
  <//>`;
}

/** The stretches of time of a roster, one for each person; what is under way is swapped from now on. */
const stretchesOf = (entries) =>
  entries
    .flatMap((entry) => entry.users.map((user) => ({ ...entry, user })))
    .filter((one) => millis(one.end) > Date.now());

/** @typedef {{id: string, name: string, entries: any[]}} Plan a roster with its entries */

/**
 * What two people have, one in each other's place. `plans` are rosters with their entries, and `given` the roster and
 * the times that were dropped on each other.
 * @param {{plans: Plan[], given: any, onClose: () => void, onDone: () => void}} given
 */
export function SwapDialog({ plans, given, onClose, onDone }) {
  const able = (plan) => new Set(stretchesOf(plan.entries).map((one) => one.user.id)).size > 1;
  const [roster, setRoster] = useState(given.roster || (plans.find(able) || plans[0]).id);
  const plan = plans.find((one) => one.id === roster) || plans[0];
  const stretches = stretchesOf(plan.entries);
  const several = new Set(stretches.map(levelOf)).size > 1;
  const placeOf = (part) =>
    Math.max(
      0,
      stretches.findIndex((one) => one.start === part?.start && one.end === part?.end && one.user.id === part.user?.id),
    );
  const ofPart = (part) => part && { ...part, user: part.users?.[0] };
  const [first, setFirst] = useState(() => placeOf(ofPart(given.first)));
  const others = stretches.filter((one) => one.user.id !== stretches[first]?.user.id);
  const wanted = stretches[placeOf(ofPart(given.second))];
  const second = others.includes(wanted) ? wanted : others.find((one) => levelOf(one) === levelOf(stretches[first]));
  const half = (part) => ({
    user: { id: part.user.id },
    start: wire(Math.max(millis(part.start), Date.now())),
    end: part.end,
  });
  const send = async (values) => {
    const [one, other] = [stretches[values.first], stretches[values.second]];
    const shift = one.shift?.id === other.shift?.id ? one.shift : undefined;
    const body = {
      first: half(one),
      second: half(other),
      shift: shift?.id ? { id: shift.id } : undefined,
      note: values.note || undefined,
    };
    await call("createRosterSwap", { rosterId: roster, body });
    onDone();
  };
  const words = wordsAmong(
    stretches.map((part) => part.user),
    personName,
  );
  const option = (part, chosen) => html`<option value=${stretches.indexOf(part)} selected=${part === chosen}>
    ${words(part.user)}, ${full(millis(part.start))} to${" "}
    ${full(millis(part.end))}${several ? ` (${levelOf(part)})` : ""}
  </option>`;
  return html`<${FormDialog}
    title="Swap shifts"
    send=${others.length ? "Swap" : ""}
    onSend=${send}
    onClose=${onClose}
    wide=${true}
  >
    ${(problem) => html`
      <${Field}
        as="select"
        name="roster"
        label="Roster"
        problem=${problem}
        onChange=${(event) => {
          setRoster(event.target.value);
          setFirst(0);
        }}
      >
        ${plans.map((one) => html`<option value=${one.id} selected=${one.id === roster}>${one.name}</option>`)}
      <//>
      ${
        others.length
          ? html`
              <${Field}
                as="select"
                name="first"
                label="First shift"
                problem=${problem}
                required
                wide
                key=${`first ${roster}`}
                onChange=${(event) => setFirst(Number(event.target.value))}
              >
                ${stretches.map((part) => option(part, stretches[first]))}
              <//>
              <${Field}
                as="select"
                name="second"
                label="Second shift"
                problem=${problem}
                required
                wide
                key=${`second ${roster} ${stretches[first]?.user.id}`}
              >
                ${others.map((part) => option(part, second))}
              <//>
              <${Field} name="note" label="Note" problem=${problem} wide hint="Each person takes the other's shift." />
            `
          : html`<p class="wide">Nobody can swap: one person at most is on call in the days that are shown.</p>`
      }
    `}
  <//>`;
}
