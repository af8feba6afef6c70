// Tries an alert against the maintenance windows: whether one of them would hold it back, and why.

import { call } from "../api.js";
import { FormDialog, STAY } from "../dialog.js";
import { html } from "../elements.js";
import { Field } from "../form.js";
import { useState } from "../hooks.js";
import { Picker } from "../picker.js";
import { fromInput, millis, toInput } from "../time.js";

const RESOURCE = { type: "object", refers: "resource", required: true };

/** What the windows say of the alert. */
function Verdict({ answer, own }) {
  return html`<div class="wide preview" role="status">
    <p>
      ${
        answer.window
          ? html`It would be held back by <strong>${answer.window.name}</strong>.`
          : "No window would hold it back."
      }
    </p>
    <ul>
      ${answer.windows.map(
        (one) => html`<li>
          ${one.window.uniqueId === own ? html`<strong>${one.window.name}</strong>` : one.window.name}:${" "}
          ${one.matches ? "holds" : "does not hold"}
          ${
            one.rules?.length > 0 &&
            html`<ul>
            ${one.rules.map(
              (rule) => html`<li>
                ${rule.key} ${rule.operator} ${rule.value}: ${rule.matches ? "holds" : "does not hold"}
                <span class="dim">${rule.found.length ? ` (it has ${rule.found.join(", ")})` : ""}</span>
              </li>`,
            )}
          </ul>`
          }
        </li>`,
      )}
    </ul>
    ${!answer.windows.length && html`<p class="dim">No window that is open then covers the machine.</p>`}
  </div>`;
}

/** The dialog that tries an alert now or at another time; it begins with a machine of `window`. */
export function TryAlert({ window, onClose }) {
  const [device, setDevice] = useState(/** @type {any} */ (window.devices[0]));
  const [answer, setAnswer] = useState(/** @type {any} */ (undefined));
  const at = window.current || !window.next ? Date.now() : window.next.start;
  const send = async (values) => {
    if (!device) return STAY;
    const { currentState, subject } = values;
    setAnswer(
      await call("matchMaintenanceWindows", {
        query: { at: fromInput(values.at) },
        body: /** @type {any} */ ({ device: { id: device.uniqueId || device.id }, currentState, subject }),
      }),
    );
    return STAY;
  };
  return html`<${FormDialog} title="Try an alert" send="Try" leave="Close" onSend=${send} onClose=${onClose} wide>
    ${(problem) => html`
      <${Picker} field=${RESOURCE} label="Machine" value=${device} onValue=${setDevice} errors=${[]} within=${undefined} />
      <${Field} as="select" name="currentState" label="State" problem=${problem}>
        ${["Critical", "Warning", "Info", "Ok"].map((state) => html`<option value=${state}>${state}</option>`)}
      <//>
      <${Field} name="subject" label="Subject" problem=${problem} required maxlength="500" value="No answer to ping" />
      <${Field}
        type="datetime-local"
        name="at"
        label="At"
        problem=${problem}
        value=${toInput(typeof at === "number" ? at : millis(at))}
      />
      ${answer && html`<${Verdict} answer=${answer} own=${window.uniqueId} />`}
    `}
  <//>`;
}
