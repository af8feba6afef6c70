// Buttons of what can be done with a record: at once, after a question, or with a form.

import { Problem, call, may } from "./api.js";
import { bodyOf } from "./bodyschema.js";
import { DeleteDialog, useVersionedAction } from "./conflict.js";
import { FormDialog } from "./dialog.js";
import { Button, html } from "./elements.js";
import { Field } from "./form.js";
import { useState } from "./hooks.js";
import { RecordDialog } from "./recorddialog.js";
import { attempt, say } from "./toast.js";

/**
 * One thing that can be done. `path` has the parts of the address, `match` the version. With `form` a form of the
 * operation is opened; `edits` is the record that it changes; `removes` deletes the record that it is; `question` is
 * asked before, and `confirm` is what one has to type then. `found` is the record that is done something with at once,
 * under its version: what `fields` differ in a newer one is shown first. `message` says that it was done.
 * @typedef {{
 *   label: string, operation: OperationId, path?: any, body?: any, match?: any, when?: boolean, primary?: boolean,
 *   form?: boolean, edits?: any, found?: any, confirm?: string,
 *   removes?: any, read?: () => Promise<any>, values?: any, layout?: any, send?: string,
 *   title?: string, question?: any, danger?: boolean, message?: string, fields?: any[],
 *   change?: (request: any, value: any) => any, extra?: any, done?: (answer: any) => any,
 * }} RecordAction
 */

/** Whether the person may do it, and it makes sense now. */
const isOpen = (action) => action.when !== false && may(action.operation);

/**
 * The buttons of actions, and the dialog of the one that was pressed. `onDone(answer)` is called after each.
 * @param {{actions: (RecordAction | false | undefined)[], onDone: (answer: any) => any, of?: string}} given
 */
export function RecordActions({ actions, onDone, of = "" }) {
  const [open, setOpen] = useState(/** @type {RecordAction | undefined} */ (undefined));
  const finish = (action) => (answer) => {
    say(action.message);
    return (action.done || onDone)(answer);
  };
  const guard = useVersionedAction({ onDone });
  const press = async (action) => {
    if (action.form || action.edits || action.removes || action.question) return setOpen(action);
    const { operation, path = {}, match, body } = action;
    const sent = body ?? (bodyOf(operation) ? {} : undefined);
    if (action.found) {
      const work = (version) => call(operation, { ...path, match: version, body: sent });
      return guard.act({ fields: [], ...action, label: action.label, work });
    }
    const answer = await attempt(action.message, () => call(operation, { ...path, match, body: sent }));
    return answer === undefined ? undefined : (action.done || onDone)(answer);
  };
  return html`
    ${actions.map(
      (action) =>
        action &&
        isOpen(action) &&
        html`<${Button}
          kind=${`${action.primary ? "primary" : ""} ${action.danger ? "danger" : ""}`}
          aria-label=${of ? `${action.label} ${of}` : undefined}
          onClick=${() => press(action)}
        >
          ${action.label}
        <//>`,
    )}
    ${open && html`<${ActionDialog} action=${open} onClose=${() => setOpen()} onDone=${finish(open)} />`}
    ${guard.conflict}
  `;
}

/** The dialog of one action. */
export function ActionDialog({ action, onClose, onDone }) {
  const { operation, path = {}, match, question, danger } = action;
  const title = action.title || action.label.replace(/…$/, "");
  const [typed, setTyped] = useState("");
  const check = () => {
    if (action.confirm && typed.trim() !== action.confirm)
      throw new Problem(0, { title: "Not confirmed", detail: `Type “${action.confirm}” to confirm.` });
  };
  const confirm =
    action.confirm &&
    html`<${Field}
      name="confirm"
      label=${`Type “${action.confirm}” to confirm`}
      autocomplete="off"
      onInput=${(event) => setTyped(event.target.value)}
    />`;
  if (action.removes)
    return html`<${DeleteDialog}
      title=${title}
      send=${action.send || "Delete"}
      found=${action.removes}
      fields=${action.fields || [["name", "Name", (one) => one.name]]}
      read=${action.read}
      work=${(version) => (check(), call(operation, { ...path, match: version, body: action.body }))}
      onClose=${onClose}
      onDone=${onDone}
    >
      ${question && html`<p>${question}</p>`}
      ${confirm}
    <//>`;
  if (action.form || action.edits)
    return html`<${RecordDialog}
      title=${title}
      operation=${operation}
      path=${path}
      record=${action.edits}
      read=${action.read}
      match=${match}
      values=${action.values}
      layout=${action.layout}
      body=${action.change}
      send=${action.send}
      danger=${danger}
      onClose=${onClose}
      onDone=${onDone}
    >
      ${action.extra || (question && html`<p class="wide">${question}</p>`)}
    <//>`;
  const send = async () => {
    check();
    const sent = action.body ?? (bodyOf(operation) ? {} : undefined);
    onDone(await call(operation, { ...path, match, body: sent }));
  };
  return html`<${FormDialog}
    title=${title}
    send=${action.send || title.split(" ")[0]}
    danger=${danger}
    onSend=${send}
    onClose=${onClose}
  >
    <p class="wide">${question}</p>
    ${confirm}
  <//>`;
}
