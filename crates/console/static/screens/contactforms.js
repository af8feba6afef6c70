// Forms of how a person is reached: the rule of an urgency, and the code of a contact method.

import { call } from "../api.js";
import { FormDialog } from "../dialog.js";
import { html } from "../elements.js";
import { Field } from "../form.js";
import { useState } from "../hooks.js";
import { parts } from "../names.js";
import { zone } from "../time.js";
import { say } from "../toast.js";

/** The form of a notification rule: order and quiet hours. */
export function Rule({ path, urgency, rule, methods, onClose, onDone }) {
  const [quiet, setQuiet] = useState(Boolean(rule?.quietHours));
  const before = (one) =>
    (rule?.steps || [])
      .filter((step) => step.contactMethod.id === one.id)
      .map((step) => step.after)
      .join(", ");
  const send = async (values) => {
    const steps = methods.flatMap((one) =>
      parts(values[`after ${one.id}`]).map((after) => ({ contactMethod: { id: one.id }, after })),
    );
    const quietHours = quiet ? { from: values.from, to: values.to, timeZone: values.timeZone } : undefined;
    const beforeShift = values.beforeShift?.trim() || undefined;
    await call("setNotificationRule", { ...path, body: { urgency, steps, quietHours, beforeShift } });
    onDone();
  };
  const { from = "22:00", to = "07:00", timeZone = zone } = rule?.quietHours || {};
  return html`<${FormDialog} title=${`Rule for ${urgency} urgency`} onSend=${send} onClose=${onClose}>
    ${(problem) => html`
      ${methods.map(
        (one) => html`<${Field}
          name=${`after ${one.id}`}
          label=${`${one.name}, after`}
          value=${before(one)}
          problem=${problem}
          hint="Such as 0s, or 0s, 10m for twice; empty: not at all"
        />`,
      )}
      <div class="field wide">
        <label class="inline">
          <input type="checkbox" checked=${quiet} onChange=${() => setQuiet(!quiet)} /> Quiet hours
        </label>
      </div>
      ${
        quiet &&
        html`
          <${Field} type="time" name="from" label="From" value=${from} required problem=${problem} />
          <${Field} type="time" name="to" label="To" value=${to} required problem=${problem} />
          <${Field} name="timeZone" label="Time zone" value=${timeZone} required problem=${problem} />
        `
      }
      ${
        urgency === "low" &&
        html`<${Field}
          name="beforeShift"
          label="Before a shift begins"
          value=${rule?.beforeShift || ""}
          problem=${problem}
          hint="Such as 30m; empty: not at all"
        />`
      }
    `}
  <//>`;
}

/** Takes the code that was sent to a contact method. */
export function Verify({ path, method, onClose, onDone }) {
  const send = async (values) => {
    const { verified } = await call("verifyContactMethod", {
      ...path,
      contactMethodId: method.id,
      body: { code: values.code.trim() },
    });
    say(verified ? "Verified." : "That is not the code.");
    onDone();
  };
  return html`<${FormDialog}
    title=${`Verify “${method.name}”`}
    send="Verify"
    onSend=${send}
    onClose=${onClose}
  >
    ${(problem) => html`<${Field}
      name="code"
      label="Code"
      required
      inputmode="numeric"
      autocomplete="one-time-code"
      problem=${problem}
      hint="Six digits, good for 15 minutes"
    />`}
  <//>`;
}
