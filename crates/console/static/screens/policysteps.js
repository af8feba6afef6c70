// The control of the steps of an escalation policy: whom each notifies, and how long they have.

import { fieldsOf } from "../bodyschema.js";
import { Button, html } from "../elements.js";
import { Picker } from "../picker.js";
import { reordered, useReorder } from "../reorder.js";
import { Labelled, errorsOf } from "../schemacontrols.js";

/** The kinds of targets, by the field that each has. */
const KINDS = {
  roster: "the person on call in a roster",
  user: "a person",
  userGroup: "everybody in a group",
  owner: "the owner of the machine",
  integration: "an integration",
};

const kindOf = (target) => Object.keys(KINDS).find((kind) => kind in (target || {})) || "";

/** The control of the targets of a step. */
function Targets({ field, path, value = /** @type {any[]} */ ([]), onValue, problem, errors, within }) {
  const put = (at, next) => onValue(value.map((one, place) => (place === at ? next : one)));
  const fields = fieldsOf(field.items);
  const step = Number(/\[(\d+)\]/.exec(path)?.[1] || 0) + 1;
  const own = errors.filter((error) => error.fieldName === path);
  const { over, grip, buttons } = useReorder({
    length: value.length,
    onMove: (from, to) => onValue(reordered(value, from, to)),
  });
  return html`<fieldset class="group wide">
    <legend>Notified in step ${step}</legend>
    ${own.map((error) => html`<p class="wrong">${error.message}</p>`)}
    ${value.map((target, at) => {
      const kind = kindOf(target);
      const where = `${path}[${at}]`;
      const of = `target ${at + 1} of step ${step}`;
      const wrong = errorsOf(problem, where).filter((error) => !error.fieldName.startsWith(`${where}.${kind || "-"}`));
      return html`<div ...${over(at, "line")} key=${at}>
        <div class="fields">
          <${Labelled} label="Who" errors=${wrong}>
            ${(rest) => html`<select
              ...${rest}
              name=${`${where}.kind`}
              aria-label=${`Who is ${of}`}
              required
              onChange=${({ target: { value: to } }) => put(at, to === "owner" ? { owner: true } : { [to]: undefined })}
            >
              ${!kind && html`<option value="">–</option>`}
              ${Object.entries(KINDS).map(
                ([word, words]) => html`<option value=${word} selected=${word === kind}>${words}</option>`,
              )}
            </select>`}
          <//>
          ${
            kind &&
            kind !== "owner" &&
            html`<${Picker}
              key=${kind}
              within=${within}
              field=${{ ...fields[kind], about: "", required: true }}
              label=${{ roster: "Roster", user: "Person", userGroup: "Group", integration: "Integration" }[kind]}
              value=${target[kind]}
              onValue=${(next) => put(at, { ...target, [kind]: next ?? undefined })}
              errors=${errorsOf(problem, `${where}.${kind}`)}
            />`
          }
          ${
            kind === "roster" &&
            html`<${Labelled} label="Level" errors=${errorsOf(problem, `${where}.level`)}>
              ${(rest) => html`<select
                ...${rest}
                aria-label=${`Level of ${of}`}
                onChange=${(event) => put(at, { ...target, level: Number(event.target.value) || undefined })}
              >
                <option value="">all levels</option>
                ${[1, 2].map(
                  (level) => html`<option value=${level} selected=${level === target.level}>
                    ${level === 1 ? "1, primary" : "2, secondary"}
                  </option>`,
                )}
              </select>`}
            <//>`
          }
        </div>
        ${
          value.length > 1 &&
          html`<div class="actions">
            ${grip(at)} ${buttons(at, of)}
            <${Button}
              aria-label=${`Remove ${of}`}
              onClick=${() => onValue(value.filter((_, place) => place !== at))}
            >
              Remove
            <//>
          </div>`
        }
      </div>`;
    })}
    ${
      !(value.length >= field.max) &&
      html`<${Button}
        aria-label=${`Add target to step ${step}`}
        onClick=${() => onValue([...value, { roster: undefined }])}
      >
        Add target
      <//>`
    }
  </fieldset>`;
}

/** The control of the steps: each has its targets and the time that they have to answer. */
export function Steps({ field, path, value = /** @type {any[]} */ ([]), onValue, problem, errors, within }) {
  const put = (at, next) => onValue(value.map((one, place) => (place === at ? next : one)));
  const fields = fieldsOf(field.items);
  const own = errors.filter((error) => error.fieldName === path);
  const { over, grip, buttons } = useReorder({
    length: value.length,
    onMove: (from, to) => onValue(reordered(value, from, to)),
  });
  return html`<fieldset class="group wide">
    <legend>Steps</legend>
    ${own.map((error) => html`<p class="wrong">${error.message}</p>`)}
    ${value.map(
      (step, at) => html`<div ...${over(at, "line")} key=${at}>
        <div class="fields">
          <${Targets}
            field=${fields.targets}
            path=${`${path}[${at}].targets`}
            value=${step.targets}
            within=${within}
            onValue=${(targets) => put(at, { ...step, targets })}
            problem=${problem}
            errors=${errorsOf(problem, `${path}[${at}].targets`)}
          />
          <${Labelled}
            label="Time to answer"
            hint="Such as 30s, 5m, 1h"
            errors=${errorsOf(problem, `${path}[${at}].wait`)}
          >
            ${(rest) => html`<input
              ...${rest}
              name=${`${path}[${at}].wait`}
              aria-label=${`Time to answer of step ${at + 1}`}
              value=${step.wait ?? ""}
              placeholder="5m"
              autocomplete="off"
              onInput=${(event) => put(at, { ...step, wait: event.target.value })}
            />`}
          <//>
        </div>
        <div class="actions">
          ${value.length > 1 && grip(at)} ${buttons(at, `step ${at + 1}`)}
          ${
            value.length > 1 &&
            html`<${Button}
              aria-label=${`Remove step ${at + 1}`}
              onClick=${() => onValue(value.filter((_, place) => place !== at))}
            >
              Remove
            <//>`
          }
        </div>
      </div>`,
    )}
    ${
      !(value.length >= field.max) &&
      html`<${Button} onClick=${() => onValue([...value, { targets: [{ roster: undefined }], wait: "10m" }])}>
        Add step
      <//>`
    }
  </fieldset>`;
}
