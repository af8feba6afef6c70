// Changing something that others may change meanwhile: theirs is shown beside what was there and what is typed, and nothing is lost.

import { tag } from "./api.js";
import { FormDialog, html, personName, say, useState } from "./ui.js";

/** As a control has it. */
const lines = (value) => String(value).replace(/\r\n?/g, "\n");
const shown = (value) => (value === undefined || value === null || value === "" ? "–" : String(value));

/**
 * A dialog that changes `of`. `fields` are `[name, label, value(of), words(of)]`, by the names of the controls in `children`; words are
 * for what people would not know by its value. `write(changed, match)` gets what differs, `read()` is asked when the service
 * answers that it was changed meanwhile.
 */
export function Change({ title, of, fields, read, write, onClose, onDone, keep = undefined, wide = false, children }) {
  const [theirs, setTheirs] = useState();
  const [match, setMatch] = useState(tag(of));
  const send = async (values) => {
    const changed = {};
    for (const [name, , value] of fields) if (name in values && values[name] !== lines(value(of) ?? "")) changed[name] = values[name];
    if (!Object.keys(changed).length) return say("Nothing was changed.");
    try {
      await write(changed, match);
    } catch (problem) {
      if (problem.status === 412) {
        const now = await read();
        setTheirs(now);
        setMatch(tag(now));
      }
      throw problem;
    }
    return onDone();
  };
  const differing = theirs ? fields.filter(([, , value]) => shown(value(of)) !== shown(value(theirs))) : [];
  return html`<${FormDialog} title=${title} send=${theirs ? "Save mine" : "Save"} onSend=${send} onClose=${onClose} keep=${keep} wide=${wide}>${(problem) => html`
    ${theirs && html`<div class="wide theirs"><h3>What ${personName(theirs.updatedBy) || "somebody"} saved meanwhile; yours is below</h3><div class="scroll" tabindex="0" role="region" aria-label="What was changed meanwhile"><table class="plain">
      <thead><tr><th scope="col">Field</th><th scope="col">As you found it</th><th scope="col">As it is now</th></tr></thead>
      <tbody>${differing.map(([, label, value, words = value]) => html`<tr><td>${label}</td><td class="before">${shown(words(of))}</td><td class="after">${shown(words(theirs))}</td></tr>`)}</tbody></table></div></div>`}
    ${children(problem)}`}<//>`;
}
