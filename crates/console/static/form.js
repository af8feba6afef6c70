// Fields of forms, search fields, and filters.

import { html, stateName } from "./elements.js";
import { useEffect, useRef, useState } from "./hooks.js";
import { fromInput, millis, toInput } from "./time.js";

/** Whether a key that was pressed is meant for a field. */
export function isTyping(event) {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  return (
    target.isContentEditable ||
    target.tagName === "TEXTAREA" ||
    target.tagName === "SELECT" ||
    (target.tagName === "INPUT" && target.type !== "checkbox")
  );
}

let number = 0;

/**
 * A field of a form: label, control, what is wrong with it. `value` is what it begins with; what is typed then stays.
 */
export function Field({ label, name, problem, hint, as = "input", children, wide, value, ...rest }) {
  const [id] = useState(() => `f${++number}`);
  const errors = (problem?.errors || []).filter(
    (error) =>
      error.fieldName === name || error.fieldName?.startsWith(`${name}.`) || error.fieldName?.startsWith(`${name}[`),
  );
  return html`<div class=${wide ? "field wide" : "field"}>
    <label for=${id}>${label}</label>
    <${as}
      id=${id}
      name=${name}
      dir="auto"
      aria-invalid=${errors.length ? "true" : undefined}
      aria-describedby=${hint || errors.length ? `${id}n` : undefined}
      defaultValue=${value}
      ...${rest}
    >
      ${children}
    <//>
    ${
      (hint || errors.length > 0) &&
      html`<p id=${`${id}n`} class=${errors.length ? "wrong" : "hint"}>
        ${errors.length ? errors.map((error) => error.message).join("; ") : hint}
      </p>`
    }
  </div>`;
}

/**
 * A search field that takes the focus with `/`, gives it to the first row with the arrow down, and asks once nobody
 * types for a moment.
 */
export function Search({ value, onValue, label, placeholder, wait = 150 }) {
  const [text, set] = useState(value);
  const timer = useRef(0);
  const sent = useRef(value);
  // An address that was changed elsewhere; what this field asked for itself may be behind what is typed now.
  useEffect(() => {
    if (value !== sent.current) set(value);
    sent.current = value;
  }, [value]);
  const typed = (event) => {
    const now = event.target.value;
    set(now);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = now.trim();
      onValue(sent.current);
    }, wait);
  };
  const down = (event) => {
    const row = /** @type {HTMLElement} */ (event.key === "ArrowDown" && document.querySelector("a.row-link"));
    if (!row) return;
    event.preventDefault();
    row.focus();
  };
  return html`<input
    type="search"
    class="search"
    dir="auto"
    data-search
    aria-label=${label}
    placeholder=${placeholder}
    value=${text}
    onInput=${typed}
    onKeyDown=${down}
    autocomplete="off"
    spellcheck=${false}
  />`;
}

/** Toggles that stand for the alternatives of one filter. */
export function Choices({ label, options, value, onValue }) {
  const chosen = new Set(value ? value.split(",") : []);
  const flip = (option) => {
    chosen.has(option) ? chosen.delete(option) : chosen.add(option);
    onValue(options.filter((other) => chosen.has(other)).join(","));
  };
  return html`<div class="choices" role="group" aria-label=${label}>
    ${options.map(
      (option) => html`<button
        type="button"
        aria-pressed=${chosen.has(option) ? "true" : "false"}
        onClick=${() => flip(option)}
      >
        ${stateName(option)}
      </button>`,
    )}
  </div>`;
}

/** A choice of one of several, each `[value, title]`. */
export const Choice = ({ label, value, options, onValue }) => html`<label class="inline">
  ${label}${" "}
  <select value=${value} onChange=${(event) => onValue(event.target.value)}>
    ${options.map(([one, title]) => html`<option value=${one}>${title}</option>`)}
  </select>
</label>`;

/** A filter by the time from which on things are shown. */
export const Since = ({ value, onValue }) => html`<label class="inline">
  Since${" "}
  <input
    type="datetime-local"
    value=${value ? toInput(millis(value)) : ""}
    onChange=${(event) => onValue(fromInput(event.target.value))}
  />
</label>`;
