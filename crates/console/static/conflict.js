// Detection of conflicting changes. A request names the version that the page shows. When the record has a newer
// version, both are shown before anything is done.

import { Problem, tag } from "./api.js";
import { FormDialog } from "./dialog.js";
import { html } from "./elements.js";
import { useState } from "./hooks.js";
import { say } from "./toast.js";

/** Attempts with newer versions that differ in none of the compared fields. */
const MOST = 3;

const displayValue = (value) => (value === undefined || value === null || value === "" ? "–" : String(value));

/** The fields, `[name, label, value(of), words(of)]`, that differ between two versions of a record. */
export const changedFields = (fields, found, theirs) =>
  fields.filter(([, , value]) => displayValue(value(found)) !== displayValue(value(theirs)));

/**
 * Calls `work(match)` with the version of `found`. Rows of lists have no version, so their record is read first. A
 * newer version that differs in none of `fields` is used instead; otherwise the call fails and the problem has the
 * newer version as `theirs`.
 */
export async function actOnVersion({ found, fields, read, work }) {
  let match = tag(found);
  let refused = new Problem(412, {});
  for (let tries = 0; tries < MOST; tries += 1) {
    try {
      if (match) return await work(match);
    } catch (problem) {
      if (problem.status !== 412) throw problem;
      refused = problem;
    }
    const theirs = await read();
    if (changedFields(fields, found, theirs).length) throw Object.assign(refused, { theirs });
    match = tag(theirs);
  }
  throw refused;
}

/** A table of the fields that differ between two versions of a record. */
export function Differences({ fields, found, theirs }) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="What was changed meanwhile">
    <table class="plain">
      <thead>
        <tr><th scope="col">Field</th><th scope="col">When opened</th><th scope="col">Now</th></tr>
      </thead>
      <tbody>
        ${changedFields(fields, found, theirs).map(
          ([, label, value, words = value]) => html`<tr>
            <td>${label}</td>
            <td class="before" dir="auto">${displayValue(words(found))}</td>
            <td class="after" dir="auto">${displayValue(words(theirs))}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A dialog that confirms a deletion. Changes by somebody else are shown before anything is deleted. */
export function DeleteDialog({
  title,
  send = "Delete",
  found,
  fields,
  read,
  work,
  onClose,
  onDone,
  children = undefined,
}) {
  const [theirs, setTheirs] = useState();
  const remove = async () => {
    try {
      await actOnVersion({ found: theirs || found, fields, read, work });
    } catch (problem) {
      if (problem.theirs) setTheirs(problem.theirs);
      throw problem;
    }
    onDone();
  };
  return html`<${FormDialog}
    title=${title}
    send=${theirs ? `${send} anyway` : send}
    danger=${true}
    onSend=${remove}
    onClose=${onClose}
  >
    <div class="wide">
      ${children}
      ${theirs && html`<${Differences} fields=${fields} found=${found} theirs=${theirs} />`}
    </div>
  <//>`;
}

/**
 * Actions of buttons on one version of a record. `act({label, message, found, work, lateMessage})` performs one, and
 * `conflict` is the dialog that asks again when somebody else changed the record meanwhile. When `lateMessage(theirs)`
 * returns a text, nothing is left to do and the dialog only shows that text. `onDone` gets the record that the service
 * answered, or nothing after a failure. In lists, the action of a row has its own `fields` and `read`.
 */
export function useVersionedAction({
  fields = /** @type {any[]} */ ([]),
  read = /** @type {any} */ (undefined),
  onDone,
}) {
  const [conflict, setConflict] = useState();
  const act = async (action) => {
    try {
      const answer = await actOnVersion({ fields, read, ...action });
      say(action.message);
      onDone(answer);
    } catch (problem) {
      if (problem.theirs) setConflict({ fields, read, ...action, theirs: problem.theirs });
      else say("That did not work.", problem);
      onDone();
    }
  };
  const again = async () => {
    let answer;
    try {
      answer = await actOnVersion({ ...conflict, found: conflict.theirs });
    } catch (problem) {
      if (problem.theirs) setConflict({ ...conflict, theirs: problem.theirs });
      throw problem;
    }
    say(conflict.message);
    onDone(answer);
  };
  const done = conflict?.lateMessage?.(conflict.theirs);
  const conflictDialog =
    conflict &&
    html`<${FormDialog}
      title=${done || "Changed meanwhile"}
      send=${done ? "" : `${conflict.label} anyway`}
      leave=${done ? "Close" : "Cancel"}
      onSend=${again}
      onClose=${() => setConflict()}
      wide=${true}
    >
      <div class="wide theirs">
        <${Differences} fields=${conflict.fields} found=${conflict.found} theirs=${conflict.theirs} />
      </div>
    <//>`;
  return { act, conflict: conflictDialog };
}
