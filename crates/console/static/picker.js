// Choosing a record by what is typed: a field with a list below it, for one record or for several.

import { hintOf } from "./bodyschema.js";
import { html } from "./elements.js";
import { useEffect, useLayoutEffect, useRef, useState } from "./hooks.js";
import { findRecords, isFree, isSame, matches, recordWords, wordsAmong } from "./references.js";
import { ChipList, Labelled } from "./schemacontrols.js";

let number = 0;

/** What is said of text that was typed and names no record. */
const NOT_CHOSEN = "Choose one of the list, or empty this field.";

/**
 * A field that finds records of `kind`. `onChoose` gets the record that is chosen with Enter or by a click. Where the
 * text itself is not a value (`free`), what is typed and not chosen is an error of the field. `partOf` is the part of
 * the text that is searched for.
 */
export function Finder({ kind, within, onChoose, text, onText, free = false, partOf = (typed) => typed, ...rest }) {
  const [list] = useState(() => `p${++number}`);
  const [found, setFound] = useState(/** @type {any[] | undefined} */ (undefined));
  const [at, setAt] = useState(0);
  const [failed, setFailed] = useState("");
  const [typing, setTyping] = useState(false);
  const input = useRef(null);
  const isLeft = !free && text.trim() !== "";
  useLayoutEffect(() => input.current.setCustomValidity(isLeft ? NOT_CHOSEN : ""), [isLeft]);
  const round = useRef(0);
  const timer = useRef(0);
  const asked = useRef("");
  const search = (typed, wait = 150) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(async () => {
      const mine = ++round.current;
      try {
        const rows = await findRecords(kind, partOf(typed), within);
        if (mine === round.current) {
          asked.current = typed;
          setFound(rows);
          setAt(0);
          setFailed("");
        }
      } catch (problem) {
        if (mine === round.current) setFailed(problem.message);
      }
    }, wait);
  };
  const close = () => {
    round.current += 1;
    clearTimeout(timer.current);
    setFound(undefined);
  };
  useEffect(() => close, []);
  const choose = (record) => {
    close();
    onChoose(record);
  };
  const pressed = (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!found) search(text, 0);
      else setAt(Math.max(0, Math.min(found.length - 1, at + (event.key === "ArrowDown" ? 1 : -1))));
    } else if (event.key === "Enter") {
      // Where the list is not there yet, or is that of another text, it comes; the form is sent by its button.
      event.preventDefault();
      const isMeant = asked.current === text || (found?.[at] && matches(partOf(text).trim())(found[at]));
      if (found?.[at] && isMeant) choose(found[at]);
      else if (!found || !isMeant) search(text, 0);
    } else if (event.key === "Escape" && found) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  const words = wordsAmong(found || []);
  return html`<div class="finder">
    <input
      ref=${input}
      dir="auto"
      ...${rest}
      aria-invalid=${isLeft && !typing ? "true" : rest["aria-invalid"]}
      role="combobox"
      aria-expanded=${found ? "true" : "false"}
      aria-controls=${list}
      aria-autocomplete="list"
      aria-activedescendant=${found?.length ? `${list}-${at}` : undefined}
      autocomplete="off"
      spellcheck=${false}
      placeholder="Search…"
      value=${text}
      onInput=${(event) => {
        onText(event.target.value);
        search(event.target.value);
      }}
      onFocus=${() => {
        setTyping(true);
        search(text, 0);
      }}
      onBlur=${() => {
        setTyping(false);
        close();
      }}
      onKeyDown=${pressed}
    />
    ${
      found &&
      html`<ul id=${list} role="listbox" class="options" aria-label="Matches">
        ${found.map(
          (record, place) => html`<li
            id=${`${list}-${place}`}
            role="option"
            dir="auto"
            aria-selected=${place === at ? "true" : "false"}
            onMouseDown=${(event) => event.preventDefault()}
            onClick=${() => choose(record)}
          >
            ${words(record)}
          </li>`,
        )}
        ${!found.length && html`<li role="option" aria-disabled="true" class="dim">Nothing matches</li>`}
      </ul>`
    }
    ${isLeft && !typing && html`<p class="wrong" role="alert">${NOT_CHOSEN}</p>`}
    ${failed && html`<p class="wrong">${failed}</p>`}
  </div>`;
}

/** The control of a field that refers to one record. */
export function Picker({ field, label, value, onValue, errors, within }) {
  const [text, setText] = useState("");
  const free = isFree(field.refers);
  const chosen = value !== undefined && value !== null && value !== "";
  const control = (rest) =>
    chosen && !(free && typeof value === "string")
      ? html`<${ChipList} value=${[value]} words=${recordWords} onValue=${() => onValue(field.type === "text" ? "" : null)} />`
      : html`<${Finder}
          ...${rest}
          kind=${field.refers}
          within=${within}
          required=${field.required}
          free=${free}
          text=${free ? value || "" : text}
          onText=${free ? onValue : setText}
          onChoose=${(record) => {
            setText("");
            onValue(record);
          }}
        />`;
  return html`<${Labelled} label=${label} hint=${hintOf(field)} errors=${errors}>${control}<//>`;
}

/** The control of a list of references. Their order counts where people take turns. */
export function PickerList({ field, label, value = /** @type {any[]} */ ([]), onValue, errors, within, ordered }) {
  const [text, setText] = useState("");
  const add = (record) => {
    setText("");
    if (!value.some((one) => isSame(one, record))) onValue([...value, record]);
  };
  return html`<${Labelled} label=${label} hint=${hintOf(field)} errors=${errors} wide>
    ${(rest) => html`
      <${ChipList} value=${value} words=${wordsAmong(value)} onValue=${onValue} ordered=${ordered} />
      <${Finder}
        ...${rest}
        kind=${field.items.refers}
        within=${within}
        text=${text}
        onText=${setText}
        onChoose=${add}
      />
    `}
  <//>`;
}
