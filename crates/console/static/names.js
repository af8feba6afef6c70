// A field for records that are chosen from a list, or typed by name, with commas between them.

import { hintOf } from "./bodyschema.js";
import { html } from "./elements.js";
import { useState } from "./hooks.js";
import { Finder } from "./picker.js";
import { isSame, recordWords, wordsAmong } from "./references.js";
import { ChipList, Labelled } from "./schemacontrols.js";

/** Parts of a text, by commas. */
export const parts = (text) =>
  (text || "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

const isTyped = (one) => one?.typed !== undefined;

/**
 * The control of a list of references. What is chosen has a chip, and what is typed stays a text: its parts are names,
 * `{typed}` in the value.
 */
export function NamesField({ field, label, value = /** @type {any[]} */ ([]), onValue, errors, name, hint, within }) {
  const chosen = value.filter((one) => !isTyped(one));
  const [text, setText] = useState(() => value.filter(isTyped).map(recordWords).join(", "));
  const put = (now, records = chosen) => {
    setText(now);
    onValue([...records, ...parts(now).map((typed) => ({ typed }))]);
  };
  const choose = (record) => {
    const before = text.split(",").slice(0, -1).join(",");
    const known = chosen.some((one) => isSame(one, record));
    put(before && `${before}, `, known ? chosen : [...chosen, record]);
  };
  return html`<${Labelled} label=${label} hint=${hint || hintOf(field)} errors=${errors} wide>
    ${(rest) => html`
      <${ChipList} value=${chosen} words=${wordsAmong(chosen)} onValue=${(records) => put(text, records)} />
      <${Finder}
        ...${rest}
        name=${name}
        kind=${field.items.refers}
        within=${within}
        free=${true}
        text=${text}
        onText=${(now) => put(now)}
        onChoose=${choose}
        partOf=${(typed) => typed.split(",").pop()}
      />
    `}
  <//>`;
}
