// A field of a form by what the document says of it: the control of its type, nested fields, lists and alternatives.

import { fieldsOf, hintOf, labelOf, requestOf, startOf, variantsOf, wordsOf } from "./bodyschema.js";
import { Button, html } from "./elements.js";
import { Picker, PickerList } from "./picker.js";
import { isOffered } from "./references.js";
import { reordered, useReorder } from "./reorder.js";
import { Chips, Labelled, ValueControl, YesNo, errorsOf } from "./schemacontrols.js";

/**
 * How a screen wants a form: `order` of the fields, those that are tucked away in `more`, those that it leaves out in
 * `omit`, other `labels`, and changes of what the document says in `fields`. Names are paths without places of lists.
 * @typedef {{
 *   order?: string[], more?: string[], omit?: string[], labels?: Record<string, string>, fields?: Record<string, any>,
 *   controls?: Record<string, any>, within?: any,
 * }} Layout
 */

/** The path of a field without the places of lists: `shiftDetails[0].name` is `shiftDetails.name`. */
const plain = (path) => path.replace(/\[\d+\]/g, "");

/** A path as a form shows it: `shiftDetails[0].users` is “Shifts 1 › People”. */
export function pathWords(path, labels = /** @type {Record<string, string>} */ ({})) {
  const steps = path.split(".");
  const words = steps.map((step, at) => {
    const [, name, place] = /^(.*?)(?:\[(\d+)\])?$/.exec(step) || ["", step];
    const label = labels[plain([...steps.slice(0, at), name].join("."))] || labelOf(name || step);
    return place === undefined ? label : `${label} ${Number(place) + 1}`;
  });
  return words.join(" › ");
}

/** The names of fields in the order in which they are shown, and those that are tucked away. */
function arranged(fields, prefix, layout) {
  const at = (name) => (prefix ? `${plain(prefix)}.${name}` : name);
  const shown = Object.keys(fields).filter((name) => !layout.omit?.includes(at(name)));
  const more = shown.filter((name) => layout.more?.includes(at(name)));
  const rank = (name) => {
    const place = layout.order?.indexOf(at(name)) ?? -1;
    return place < 0 ? shown.length : place;
  };
  return { main: shown.filter((name) => !more.includes(name)).sort((one, other) => rank(one) - rank(other)), more };
}

/** A value after a change: a new value, or a function of the one that it follows. */
export const changed = (change, value) => (typeof change === "function" ? change(value) : change);

/**
 * All fields of an object. `onValue` gets a function that changes the object: two fields may change before the form is
 * drawn again, as when a browser fills it in.
 */
export function SchemaFields({ fields, path = "", value, onValue, problem, layout }) {
  const { main, more } = arranged(fields, path, layout);
  const one = (name) => html`<${SchemaField}
    key=${name}
    field=${fields[name]}
    name=${name}
    path=${path ? `${path}.${name}` : name}
    value=${value?.[name]}
    onValue=${(change) => onValue((now) => ({ ...now, [name]: changed(change, now?.[name]) }))}
    problem=${problem}
    layout=${layout}
  />`;
  const wrong = more.some((name) => errorsOf(problem, path ? `${path}.${name}` : name).length);
  return html`
    ${main.map(one)}
    ${
      more.length > 0 &&
      html`<details class="wide" open=${wrong || undefined}>
        <summary>More fields</summary>
        <div class="fields">${more.map(one)}</div>
      </details>`
    }
  `;
}

/** One field, with the control of its type. */
export function SchemaField({ field: declared, name, path, value, onValue, problem, layout }) {
  const where = plain(path);
  const field = { ...declared, ...layout.fields?.[where] };
  const label = layout.labels?.[where] || labelOf(name);
  const given = { field, label, path, value, onValue, layout, problem, within: layout.within };
  const errors = errorsOf(problem, path);
  const Own = layout.controls?.[where];
  if (Own) return html`<${Own} ...${given} errors=${errors} />`;
  if (field.refers && field.type !== "list" && isOffered(field.refers))
    return html`<${Picker} ...${given} errors=${errors} />`;
  if (field.type === "boolean") return html`<${YesNo} ...${given} errors=${errors} />`;
  if (field.type === "list") return html`<${ListField} ...${given} errors=${errors} />`;
  if (field.type === "object") return html`<${ObjectField} ...${given} errors=${errorsOf(problem, path, false)} />`;
  const wide = field.type === "map" || field.type === "any" || (field.long ?? field.max >= 1000);
  return html`<${Labelled} label=${label} hint=${hintOf(field)} errors=${errors} wide=${wide}>
    ${(rest) => html`<${ValueControl} ...${rest} name=${path} label=${label} ...${{ field, value, onValue }} />`}
  <//>`;
}

function ListField(given) {
  const { field, label, value, onValue, errors, layout, path, within } = given;
  const { items } = field;
  if (items.refers && isOffered(items.refers)) {
    const ordered = layout.fields?.[plain(path)]?.ordered;
    return html`<${PickerList} ...${{ field, label, value, onValue, errors, within, ordered }} />`;
  }
  if (items.type === "text" && items.words) return html`<${Ticks} ...${given} />`;
  if (items.type === "text") return html`<${Chips} ...${given} />`;
  return html`<${Lines} ...${given} />`;
}

/** Some of a few words. */
function Ticks({ field, label, value = /** @type {any[]} */ ([]), onValue, errors }) {
  const flip = (word) => (value.includes(word) ? value.filter((one) => one !== word) : [...value, word]);
  return html`<fieldset class="group wide">
    <legend>${label}</legend>
    <div class="choices">
      ${field.items.words.map(
        (word) => html`<button
          type="button"
          aria-pressed=${value.includes(word) ? "true" : "false"}
          onClick=${() => onValue(flip(word))}
        >
          ${word}
        </button>`,
      )}
    </div>
    ${errors.map((error) => html`<p class="wrong">${error.message}</p>`)}
  </fieldset>`;
}

/** A list of objects: each has its fields, and buttons that move it and take it out. */
function Lines({ field, label, path, value = /** @type {any[]} */ ([]), onValue, problem, layout, errors }) {
  const single = label.replace(/ies$/, "y").replace(/(?<!s)s$/, "");
  const put = (at, change) => onValue((now) => now.map((one, place) => (place === at ? changed(change, one) : one)));
  const { over, grip, buttons } = useReorder({
    length: value.length,
    onMove: (from, to) => onValue(reordered(value, from, to)),
  });
  const own = errors.filter((error) => error.fieldName === path);
  return html`<fieldset class="group wide">
    <legend>${label}</legend>
    ${own.map((error) => html`<p class="wrong">${error.message}</p>`)}
    ${value.map(
      (one, at) => html`<div ...${over(at, "line")} key=${at}>
        <div class="fields">
          <${ObjectFields}
            field=${field.items}
            path=${`${path}[${at}]`}
            value=${one}
            onValue=${(change) => put(at, change)}
            problem=${problem}
            layout=${layout}
          />
        </div>
        <div class="actions">
          ${value.length > 1 && html`${grip(at)} ${buttons(at, `${single.toLowerCase()} ${at + 1}`)}`}
          <${Button}
            aria-label=${`Remove ${single.toLowerCase()} ${at + 1}${wordsOf(one?.name) ? `, ${one.name}` : ""}`}
            onClick=${() => onValue(value.filter((_, place) => place !== at))}
          >
            Remove
          <//>
        </div>
      </div>`,
    )}
    ${
      !(value.length >= field.max) &&
      html`<${Button} onClick=${() => onValue([...value, startOf(field.items) ?? {}])}>Add ${single.toLowerCase()}<//>`
    }
  </fieldset>`;
}

/** The fields of an object, or of the alternative that is chosen. */
function ObjectFields({ field, path, value, onValue, problem, layout }) {
  const variants = variantsOf(field);
  if (!variants)
    return html`<${SchemaFields} fields=${fieldsOf(field)} ...${{ path, value, onValue, problem, layout }} />`;
  const { by, words } = variants;
  const chosen = value?.[by];
  const { [by]: _, ...fields } = fieldsOf({ schema: words[chosen] });
  const change = (event) => {
    // What both alternatives have stays.
    const next = startOf({ type: "object", schema: words[event.target.value] }) || {};
    for (const name of Object.keys(fieldsOf({ schema: words[event.target.value] })))
      if (name !== by && value?.[name] !== undefined) next[name] = value[name];
    onValue({ ...next, [by]: event.target.value });
  };
  return html`
    <${Labelled} label=${layout.labels?.[`${plain(path)}.${by}`] || labelOf(by)}>
      ${(rest) => html`<select ...${rest} onChange=${change}>
        ${!chosen && html`<option value="">–</option>`}
        ${Object.keys(words).map((word) => html`<option value=${word} selected=${word === chosen}>${word}</option>`)}
      </select>`}
    <//>
    <${SchemaFields} fields=${fields} ...${{ path, value, onValue, problem, layout }} />
  `;
}

/** An object within a form. One that is not required is there when its box is ticked. */
function ObjectField({ field, label, path, value, onValue, problem, layout, errors }) {
  const there = value !== undefined && value !== null;
  if (!there && !field.required)
    return html`<div class="field">
      <label class="inline">
        <input type="checkbox" checked=${false} onChange=${() => onValue(startOf({ ...field, required: true }) || {})} />
        ${label}
      </label>
      <p class=${errors.length ? "wrong" : "hint"}>
        ${errors.length ? errors.map((error) => error.message).join("; ") : hintOf(field)}
      </p>
    </div>`;
  return html`<fieldset class="group wide">
    <legend>${label}</legend>
    ${errors.map((error) => html`<p class="wrong">${error.message}</p>`)}
    <div class="fields">
      <${ObjectFields} ...${{ field, path, value, onValue, problem, layout }} />
    </div>
    ${!field.required && html`<${Button} onClick=${() => onValue(null)}>Remove ${label.toLowerCase()}<//>`}
  </fieldset>`;
}

/** What differs between two values of a form, as a request has it. */
export function changesOf(fields, before, after) {
  const changes = {};
  for (const [name, field] of Object.entries(fields)) {
    const [one, other] = [requestOf(field, before?.[name], true), requestOf(field, after?.[name], true)];
    if (JSON.stringify(one) === JSON.stringify(other)) continue;
    // What was taken out is sent as null.
    changes[name] = other === undefined ? (field.type === "list" ? [] : null) : other;
  }
  return changes;
}
