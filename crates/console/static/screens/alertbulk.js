// An action on all alerts that the filter of the board finds: asked for once, and done by one request.

import { call } from "../api.js";
import { FormDialog, STAY } from "../dialog.js";
import { count, html } from "../elements.js";
import { useState } from "../hooks.js";
import { say } from "../toast.js";
import { Note, Until, bodyFrom } from "./alertactions.js";

/** The actions, as the operation names them: the verb of each, and what is said of those that it changed. */
export const BULK_ACTIONS = {
  acknowledge: ["Acknowledge", "Acknowledged"],
  suppress: ["Suppress", "Suppressed"],
  close: ["Close", "Closed"],
};

/** The reasons for which alerts are not changed, each with the number of alerts. */
function reasonsOf(results) {
  const reasons = new Map();
  for (const { status, reason } of results)
    if (status !== "changed") reasons.set(reason, (reasons.get(reason) || 0) + 1);
  return [...reasons];
}

/** The confirmation; afterwards it says what was not changed, and why. */
export function BulkDialog({ action, filter, total, onClose, onDone }) {
  const [verb, done] = BULK_ACTIONS[action];
  const [answer, setAnswer] = useState(/** @type {any} */ (undefined));
  const alerts = total === 1 ? "the alert that matches" : `all ${count(total)} alerts that match`;
  if (answer)
    return html`<${FormDialog}
      title=${`${done}: ${count(answer.changed)}`}
      send=""
      leave="Close"
      onClose=${onClose}
    >
      <div class="wide">
        <p>Not changed: ${count(answer.refused + answer.unchanged)}</p>
        <ul class="plain-list">
          ${reasonsOf(answer.results).map(([reason, number]) => html`<li>${count(number)}: ${reason}</li>`)}
        </ul>
      </div>
    <//>`;
  const send = async (values) => {
    const found = await call("actOnAlerts", { action, body: { queryString: filter, ...bodyFrom(values) } });
    onDone();
    if (found.changed === found.results.length) return say(`${done}: ${count(found.changed)}.`);
    setAnswer(found);
    return STAY;
  };
  return html`<${FormDialog}
    title=${`${verb} ${alerts}`}
    send=${`${verb} ${count(total)}`}
    onSend=${send}
    onClose=${onClose}
    danger=${action === "close"}
  >
    ${(problem) => html`
      <p class="wide hint">Those that do not match any more when their turn comes are left as they are.</p>
      ${action === "suppress" && html`<${Until} problem=${problem} />`}
      <${Note} problem=${problem} hint="On each of the alerts" />
    `}
  <//>`;
}
