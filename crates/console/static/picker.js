// Choosing a record by what is typed: a field with a list below it, for one record or for several.

import { hintOf } from "./bodyschema.js";
import { html } from "./elements.js";
import { useEffect, useRef, useState } from "./hooks.js";
import { findRecords, isFree, recordWords } from "./references.js";
import { ChipList, Labelled } from "./schemacontrols.js";

let number = 0;

/**
 * A field that finds records of `kind`. `onChoose` gets the record that is chosen with Enter or by a click; where the
 * kind allows it, also the text that is typed. `partOf` is the part of the text that is searched for.
 */
export function Finder({ kind, within, onChoose, text, onText, partOf = (typed) => typed, ...rest }) {
  const [list] = useState(() => `p${++number}`);
  const [found, setFound] = useState(/** @type {any[] | undefined} */ (undefined));
  const [at, setAt] = useState(0);
  const [failed, setFailed] = useState("");
  const round = useRef(0);
  const timer = useRef(0);
  const search = (typed, wait = 150) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(async () => {
      const mine = ++round.current;
      try {
        const rows = await findRecords(kind, partOf(typed), within);
        if (mine === round.current) {
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
    } else if (event.key === "Enter" && found?.[at]) {
      event.preventDefault();
      choose(found[at]);
    } else if (event.key === "Escape" && found) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  return html`<div class="finder">
    <input
      dir="auto"
      ...${rest}
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
      onFocus=${() => search(text, 0)}
      onBlur=${close}
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
            ${recordWords(record)}
          </li>`,
        )}
        ${!found.length && html`<li role="option" aria-disabled="true" class="dim">Nothing matches</li>`}
      </ul>`
    }
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
    if (!value.some((one) => recordWords(one) === recordWords(record))) onValue([...value, record]);
  };
  return html`<${Labelled} label=${label} hint=${hintOf(field)} errors=${errors} wide>
    ${(rest) => html`
      <${ChipList} value=${value} words=${recordWords} onValue=${onValue} ordered=${ordered} />
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
