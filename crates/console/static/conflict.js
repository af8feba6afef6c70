// Doing something with what others may change meanwhile: a request names the version that was looked at, and where it
// is another one by now, both are shown before anything is done.

import { Problem, tag } from "./api.js";
import { FormDialog } from "./dialog.js";
import { html } from "./elements.js";
import { useState } from "./hooks.js";
import { say } from "./toast.js";

/** How often it is tried again with a version in which nothing of importance is different. */
const MOST = 3;

const displayValue = (value) => (value === undefined || value === null || value === "" ? "–" : String(value));

/** The fields, `[name, label, value(of), words(of)]`, that two versions of a record differ in. */
export const changedFields = (fields, found, theirs) =>
  fields.filter(([, , value]) => displayValue(value(found)) !== displayValue(value(theirs)));

/**
 * Does `work(match)` with a record as it was found; one of a list, which has no version, is read before. Where nothing
 * of `fields` differs in the version that it has by now, that one is taken; else this fails, and the problem has it as
 * `theirs`.
 */
export async function actOnVersion({ found, fields, read, work }) {
  let match = tag(found);
  let refused = new Problem(412, { title: "Changed meanwhile", detail: "It is not as it was when it was shown here." });
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

/** What two versions of a record differ in, side by side. */
export function Differences({ fields, found, theirs }) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="What was changed meanwhile">
    <table class="plain">
      <thead>
        <tr><th scope="col">Field</th><th scope="col">As you found it</th><th scope="col">As it is now</th></tr>
      </thead>
      <tbody>
        ${changedFields(fields, found, theirs).map(
          ([, label, value, words = value]) => html`<tr>
            <td>${label}</td>
            <td class="before">${displayValue(words(found))}</td>
            <td class="after">${displayValue(words(theirs))}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Asks before something goes for good; what somebody else made of it meanwhile is shown before. */
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
    send=${theirs ? `${send} all the same` : send}
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
 * For buttons that do something with a record at once. `act({label, message, found, work, lateMessage})` does it; `conflict` is
 * the dialog that asks again where somebody changed the record meanwhile, or says that nothing is left to do:
 * `lateMessage(theirs)` has the words for that. `onDone` gets the record as the service answers it, so that what is done next
 * is done with that; nothing where it failed. For one of many records, `action` has its own `fields` and `read`.
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
      title=${done || "It was changed meanwhile"}
      send=${done ? "" : `${conflict.label} all the same`}
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
