// The dialog that edits a record. When somebody else changed the record meanwhile, both versions are shown beside the
// form, and nothing is lost.

import { Differences, actOnVersion } from "./conflict.js";
import { FormDialog } from "./dialog.js";
import { html, personName } from "./elements.js";
import { useState } from "./hooks.js";
import { say } from "./toast.js";

/** As a control has it. */
const lines = (value) => String(value).replace(/\r\n?/g, "\n");

/**
 * A dialog that changes `of`. `fields` are `[name, label, value(of), words(of)]`, by the names of the controls in
 * `children`; words are for what people would not know by its value. `write(changed, match)` gets what differs,
 * `read()` is asked when the service answers that it was changed meanwhile.
 */
export function EditDialog({
  title,
  of,
  fields,
  read,
  write,
  onClose,
  onDone,
  keep = undefined,
  wide = false,
  children,
}) {
  // What the form began with; the page behind it may know a later version now.
  const [mine] = useState(of);
  const [theirs, setTheirs] = useState();
  const send = async (values) => {
    const changed = {};
    for (const [name, , value] of fields)
      if (name in values && values[name] !== lines(value(mine) ?? "")) changed[name] = values[name];
    if (!Object.keys(changed).length) return say("Nothing was changed.");
    try {
      await actOnVersion({ found: theirs || mine, fields, read, work: (match) => write(changed, match) });
    } catch (problem) {
      if (problem.theirs) setTheirs(problem.theirs);
      throw problem;
    }
    return onDone();
  };
  return html`<${FormDialog}
    title=${title}
    send=${theirs ? "Save mine" : "Save"}
    onSend=${send}
    onClose=${onClose}
    keep=${keep}
    wide=${wide}
  >
    ${(problem) => html`
      ${
        theirs &&
        html`<div class="wide theirs">
          <h3>Saved meanwhile by ${personName(theirs.updatedBy) || "somebody"}; your changes are below</h3>
          <${Differences} fields=${fields} found=${mine} theirs=${theirs} />
        </div>`
      }
      ${children(problem)}
    `}
  <//>`;
}
