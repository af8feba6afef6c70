// The controls of a rotation: who takes turns, in which order, and how long a turn is.

import { fieldsOf } from "./bodyschema.js";
import { html } from "./elements.js";
import { useState } from "./hooks.js";
import { Finder } from "./picker.js";
import { isOffered, wordsAmong } from "./references.js";
import { reordered, useReorder } from "./reorder.js";
import { ChipList, Labelled } from "./schemacontrols.js";
import { SchemaFields } from "./schemafield.js";
import { mondayBefore } from "./shiftschedule.js";
import { HOUR, millis, short, toInput } from "./time.js";

const membersOf = (place) => [...(place.users || []), ...(place.userGroups || [])];
const isGroup = (record) => record.uniqueId !== undefined && !record.loginName;

/** A place whose people are on call together. */
const placeOf = (members) => ({
  users: members.filter((one) => !isGroup(one)),
  userGroups: members.filter(isGroup),
});

/** A field that adds persons or groups; `onAdd` gets the record. */
function Add({ label, kind, within, onAdd, errors = /** @type {any[]} */ ([]), hint = "" }) {
  const [text, setText] = useState("");
  const choose = (record) => {
    setText("");
    onAdd(record);
  };
  return html`<${Labelled} label=${label} errors=${errors} hint=${hint}>
    ${(rest) => html`<${Finder}
      ...${rest}
      kind=${kind}
      within=${within}
      text=${text}
      onText=${setText}
      onChoose=${choose}
    />`}
  <//>`;
}

/** The control of the order of a rotation: a line for each place, moved by buttons or by dragging. */
export function RotationOrder({ label, value = /** @type {any[]} */ ([]), onValue, errors, within }) {
  const [open, setOpen] = useState(-1);
  const { listen, buttons } = useReorder({
    length: value.length,
    onMove: (from, to) => {
      setOpen(-1);
      onValue(reordered(value, from, to));
    },
  });
  const put = (at, members) => onValue(value.map((one, place) => (place === at ? placeOf(members) : one)));
  const words = wordsAmong(value.flatMap(membersOf));
  const names = (place) => membersOf(place).map(words).join(" and ") || "nobody";
  return html`<div class="wide" role="group" aria-label=${label}>
    <ol class="turns">
      ${value.map(
        (place, at) => html`<li key=${at} ...${listen(at)}>
          <span class="turn">
            <span>${at + 1}. ${names(place)}</span>
            <span class="actions">
              ${buttons(at, names(place))}
              <button
                type="button"
                class="button"
                aria-expanded=${open === at ? "true" : "false"}
                aria-label=${`Edit the place of ${names(place)}`}
                onClick=${() => setOpen(open === at ? -1 : at)}
              >
                +
              </button>
              <button
                type="button"
                class="button"
                aria-label=${`Remove ${names(place)}`}
                onClick=${() => onValue(value.filter((_, other) => other !== at))}
              >
                ✕
              </button>
            </span>
          </span>
          ${
            open === at &&
            html`<div class="fields">
              <div class="field wide">
                <${ChipList} value=${membersOf(place)} words=${words} onValue=${(next) => put(at, next)} />
              </div>
              <${Add}
                label="Also in this place: a person"
                kind="user"
                within=${within}
                onAdd=${(one) => put(at, [...membersOf(place), one])}
              />
              ${
                isOffered("userGroup") &&
                html`<${Add}
                  label="Also in this place: a group"
                  kind="userGroup"
                  within=${within}
                  onAdd=${(one) => put(at, [...membersOf(place), one])}
                />`
              }
            </div>`
          }
        </li>`,
      )}
    </ol>
    <div class="fields">
      <${Add}
        label="Add person"
        kind="user"
        within=${within}
        errors=${errors}
        hint=${value.length ? "" : "They take turns in this order"}
        onAdd=${(one) => onValue([...value, placeOf([one])])}
      />
      ${
        isOffered("userGroup") &&
        html`<${Add}
          label="Add group"
          kind="userGroup"
          within=${within}
          onAdd=${(one) => onValue([...value, placeOf([one])])}
        />`
      }
    </div>
  </div>`;
}

/** What a turn is counted in, and what people call one of it and several. */
const UNITS = [
  ["weeks", "week", "weeks"],
  ["days", "day", "days"],
  ["hours", "hour", "hours"],
  ["occurrences", "shift worked", "shifts worked"],
];
const unitOf = (length) => UNITS.find(([one]) => length?.[one]);

/** The control of the length of a turn: a number and its unit. */
export function TurnLength({ label, value, onValue, errors }) {
  const [unit] = unitOf(value) || ["weeks"];
  const many = value?.[unit] ?? "";
  return html`<${Labelled} label=${label} errors=${errors}>
    ${(rest) => html`<span class="pair">
      <input
        type="number"
        min="1"
        required
        ...${rest}
        value=${many}
        onInput=${(event) => onValue({ [unit]: Number(event.target.value) || undefined })}
      />
      <select aria-label=${`${label}: unit`} onChange=${(event) => onValue({ [event.target.value]: many || 1 })}>
        ${UNITS.map(([one, , words]) => html`<option value=${one} selected=${one === unit}>${words}</option>`)}
      </select>
    </span>`}
  <//>`;
}

/** Turns of a week from Monday at nine. */
export const startRotation = () => ({
  order: [],
  length: { weeks: 1 },
  start: `${toInput(mondayBefore(Date.now()) + 9 * HOUR)}:00`,
});

/** The control of a rotation: a box to tick, and its fields once it is. */
export function Rotation({ field, path, value, onValue, problem, layout, errors }) {
  const own = errors.filter((error) => error.fieldName === path);
  return html`<fieldset class="group wide">
    <legend>Rotation</legend>
    <label class="inline">
      <input
        type="checkbox"
        checked=${Boolean(value)}
        onChange=${() => onValue(value ? null : startRotation())}
      />${" "}People take turns
    </label>
    ${own.map((error) => html`<p class="wrong">${error.message}</p>`)}
    ${
      value &&
      html`<div class="fields">
        <${SchemaFields} fields=${fieldsOf(field)} ...${{ path, value, onValue, problem, layout }} />
      </div>`
    }
  </fieldset>`;
}

/** A rotation in words: who follows whom, and for how long each is on call. */
export function rotationWords({ order, length, kept }) {
  const [unit, one, several] = unitOf(length) || [];
  const turn = unit ? ` for ${length[unit]} ${length[unit] === 1 ? one : several} each` : "";
  const words = wordsAmong(order.flatMap(membersOf));
  const names = (place) => membersOf(place).map(words).join(" and ");
  const first = kept ? `${names(kept) || "nobody"} until ${short(millis(kept.until))}, then ` : "";
  return `${first}${order.map(names).join(", then ")}${turn}`;
}
