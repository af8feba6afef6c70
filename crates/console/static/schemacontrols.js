// Controls of a form for texts, numbers, words, times and lists of texts.

import { hintOf } from "./bodyschema.js";
import { html } from "./elements.js";
import { useAnswer, useState } from "./hooks.js";
import { fromInput, millis, toInput } from "./time.js";

let number = 0;

/** The errors of a field: those of the field itself and, with `within`, of all that it holds. */
export const errorsOf = (problem, path, within = true) =>
  (problem?.errors || []).filter(
    (error) =>
      error.fieldName === path ||
      (within && (error.fieldName?.startsWith(`${path}.`) || error.fieldName?.startsWith(`${path}[`))),
  );

/** A label, a control, and below it what is wrong or what the field is for. `children` gets the id and description. */
export function Labelled({ label, hint = "", errors = /** @type {any[]} */ ([]), wide = false, children }) {
  const [id] = useState(() => `s${++number}`);
  const note = errors.length ? errors.map((error) => error.message).join("; ") : hint;
  return html`<div class=${wide ? "field wide" : "field"}>
    <label for=${id}>${label}</label>
    ${children({
      id,
      "aria-invalid": errors.length ? "true" : undefined,
      "aria-describedby": note ? `${id}n` : undefined,
    })}
    ${note && html`<p id=${`${id}n`} class=${errors.length ? "wrong" : "hint"}>${note}</p>`}
  </div>`;
}

/** Texts that are longer than this get a control of several lines. */
const LINE = 1000;

function Words({ field, value, onValue, ...rest }) {
  const initial = field.default === undefined ? "–" : `Default: ${field.default}`;
  const words = field.words.filter((word) => word !== "");
  return html`<select ...${rest} onChange=${(event) => onValue(event.target.value || undefined)}>
    ${!(field.required && value) && html`<option value="" selected=${!value}>${initial}</option>`}
    ${words.map(
      (word) => html`<option value=${word} selected=${word === value}>${field.says?.[word] || word}</option>`,
    )}
  </select>`;
}

function Instant({ field, value, onValue, ...rest }) {
  const text = value ? (field.format === "date-time" ? toInput(millis(value)) : String(value).slice(0, 16)) : "";
  const typed = (event) => {
    const now = event.target.value;
    if (field.format === "date-time") onValue(now ? fromInput(now) : "");
    else onValue(now && `${now}:00`);
  };
  return html`<input type="datetime-local" ...${rest} value=${text} required=${field.required} onChange=${typed} />`;
}

function Numbers({ field, value, onValue, ...rest }) {
  const typed = (event) => onValue(event.target.value === "" ? undefined : Number(event.target.value));
  return html`<input
    type="number"
    ...${rest}
    value=${value ?? ""}
    min=${field.min}
    max=${field.max}
    required=${field.required}
    placeholder=${field.default === undefined ? "" : String(field.default)}
    onInput=${typed}
  />`;
}

/** Any JSON, as it is written. Text that is not JSON yet is sent as it is, and the service refuses it by name. */
function Json({ field, value, onValue, ...rest }) {
  const [text, set] = useState(() => (value === undefined || value === null ? "" : JSON.stringify(value, null, 2)));
  const typed = (event) => {
    set(event.target.value);
    try {
      onValue(event.target.value.trim() ? JSON.parse(event.target.value) : undefined);
    } catch {
      onValue(event.target.value);
    }
  };
  return html`<textarea
    rows="4"
    class="mono"
    ...${rest}
    value=${text}
    required=${field.required}
    onInput=${typed}
  ></textarea>`;
}

/** A text with suggestions, which `field.offers()` gets once. */
function Suggestions({ field, value, onValue, label, ...rest }) {
  const words = useAnswer(() => field.offers(), "words");
  return html`<input
      dir="auto"
      ...${rest}
      list=${`${rest.id}l`}
      value=${value ?? ""}
      maxlength=${field.max}
      required=${field.required && field.min !== 0}
      autocomplete="off"
      onInput=${(event) => onValue(event.target.value)}
    />
    <datalist id=${`${rest.id}l`}>${(words.data || []).map((one) => html`<option value=${one} />`)}</datalist>`;
}

function Text({ field, value, onValue, label, ...rest }) {
  const typed = (event) => onValue(event.target.value);
  const secret = /password|secret/i.test(label) && !/url/i.test(label);
  if (!secret && (field.long ?? field.max >= LINE))
    return html`<textarea
      rows=${field.max > 10 * LINE || field.long ? 10 : 3}
      dir="auto"
      ...${rest}
      value=${value ?? ""}
      maxlength=${field.max}
      required=${field.required && field.min > 0}
      onInput=${typed}
    ></textarea>`;
  return html`<input
    type=${secret ? "password" : field.format === "time" ? "time" : "text"}
    dir="auto"
    ...${rest}
    value=${value ?? ""}
    maxlength=${field.max}
    required=${field.required && field.min !== 0}
    placeholder=${field.default ?? (field.format === "duration" ? "such as 15m" : "")}
    autocomplete=${secret ? "new-password" : "off"}
    onInput=${typed}
  />`;
}

/** The control of a field that holds one value. */
export function ValueControl(given) {
  const { field } = given;
  if (field.words) return html`<${Words} ...${given} />`;
  if (field.format === "date-time" || field.format === "local-date-time") return html`<${Instant} ...${given} />`;
  if (field.type === "number") return html`<${Numbers} ...${given} />`;
  if (field.type === "map" || field.type === "any") return html`<${Json} ...${given} />`;
  return field.offers ? html`<${Suggestions} ...${given} />` : html`<${Text} ...${given} />`;
}

/** A box to tick. A value that is not there stands for its default. */
export function YesNo({ field, label, value, onValue, errors }) {
  const on = value ?? field.default ?? false;
  const note = errors.length ? errors.map((error) => error.message).join("; ") : hintOf(field);
  return html`<div class="field">
    <label class="inline">
      <input type="checkbox" checked=${on} onChange=${(event) => onValue(event.target.checked)} /> ${label}
    </label>
    ${note && html`<p class=${errors.length ? "wrong" : "hint"}>${note}</p>`}
  </div>`;
}

/** Texts as chips: Enter or a comma adds what is typed. */
export function Chips({ field, label, value = /** @type {string[]} */ ([]), onValue, errors }) {
  const [text, set] = useState("");
  const add = () => {
    const more = text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one && !value.includes(one));
    set("");
    if (more.length) onValue([...value, ...more]);
  };
  const pressed = (event) => {
    if (event.key !== "Enter" && event.key !== ",") return;
    event.preventDefault();
    add();
  };
  return html`<${Labelled} label=${label} hint=${hintOf(field)} errors=${errors} wide>
    ${(rest) => html`
      <${ChipList} value=${value} words=${(one) => one} onValue=${onValue} />
      <input
        dir="auto"
        ...${rest}
        value=${text}
        placeholder="Type, then Enter"
        onInput=${(event) => set(event.target.value)}
        onKeyDown=${pressed}
        onBlur=${add}
      />
    `}
  <//>`;
}

/** What was chosen, each with a button that takes it out; arrow buttons move it where the order counts. */
export function ChipList({ value, words, onValue, ordered = false }) {
  const without = (at) => onValue(value.filter((_, place) => place !== at));
  const moved = (at, by) => {
    const next = [...value];
    next.splice(at + by, 0, next.splice(at, 1)[0]);
    onValue(next);
  };
  if (!value.length) return null;
  return html`<ul class="chips">
    ${value.map(
      (one, at) => html`<li>
        <bdi>${words(one)}</bdi>
        ${
          ordered &&
          at > 0 &&
          html`<button type="button" aria-label=${`Move ${words(one)} up`} onClick=${() => moved(at, -1)}>↑</button>`
        }
        <button type="button" aria-label=${`Remove ${words(one)}`} onClick=${() => without(at)}>✕</button>
      </li>`,
    )}
  </ul>`;
}
