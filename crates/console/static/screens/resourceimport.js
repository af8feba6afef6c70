// Import of machines from a table: first it is checked, with the rows that would be refused, and then stored.

import { call } from "../api.js";
import { FormDialog, STAY } from "../dialog.js";
import { count, html } from "../elements.js";
import { Field } from "../form.js";
import { useState } from "../hooks.js";
import { say } from "../toast.js";

/** How many refused rows are shown. */
const LISTED = 100;

const HINT =
  "A header row names the fields, such as hostName, ipAddress, resourceType, location (a site) and tags.NAME. A " +
  "known machine is updated; an empty cell leaves what is there";

const rows = (number) => `${count(number)} ${number === 1 ? "row" : "rows"}`;

/** Sends the table; the answer has a line for each row, and one with the sums. */
async function send(body, dryRun) {
  const answer = await call("bulkUpsertResources", { query: { dryRun }, type: "text/csv", body });
  const lines = /** @type {any[]} */ (/** @type {unknown} */ (answer));
  return {
    sums: lines.find((line) => line.result === "summary") || {},
    refused: lines.filter((line) => line.result === "error"),
  };
}

/** What became of the rows, or would. */
function Outcome({ sums, refused }) {
  const would = sums.dryRun ? "would be " : "";
  return html`<div class="wide preview" role="status">
    <p>
      ${rows(sums.rows)}: ${count(sums.created)} ${would}created, ${count(sums.updated)} ${would}updated,${" "}
      ${count(sums.unchanged)} unchanged, <strong>${count(sums.errors)} refused</strong>.
    </p>
    ${sums.message && html`<p class="wrong">${sums.message}</p>`}
    ${(sums.warnings || []).map((warning) => html`<p class="hint">${warning}</p>`)}
    ${
      refused.length > 0 &&
      html`<div class="scroll tall" tabindex="0" role="region" aria-label="Refused rows">
        <table class="plain">
          <thead><tr><th scope="col">Line</th><th scope="col">Field</th><th scope="col">Reason</th></tr></thead>
          <tbody>
            ${refused.slice(0, LISTED).flatMap((row) =>
              row.errors.map(
                (error) => html`<tr>
                    <td>${row.line}</td><td class="mono">${error.fieldName}</td><td>${error.message}</td>
                  </tr>`,
              ),
            )}
          </tbody>
        </table>
      </div>`
    }
    ${refused.length > LISTED && html`<p class="hint">The first ${LISTED} are shown.</p>`}
  </div>`;
}

/** The dialog of an import. */
export function ImportDialog({ onClose, onDone }) {
  const [file, setFile] = useState(/** @type {File | undefined} */ (undefined));
  const [text, setText] = useState("");
  const [outcome, setOutcome] = useState(/** @type {any} */ (undefined));
  const isChecked = Boolean(outcome?.sums.dryRun);
  const stored = outcome && !isChecked;
  const good = isChecked ? outcome.sums.rows - outcome.sums.errors : 0;
  const submit = async () => {
    const found = await send(file || text, !isChecked);
    if (!isChecked) {
      setOutcome(found);
      return STAY;
    }
    onDone();
    say(`${rows(found.sums.rows - found.sums.errors)} imported.`);
    if (!found.refused.length) return undefined;
    setOutcome(found);
    return STAY;
  };
  const changed = (put) => (event) => {
    put(event);
    setOutcome(undefined);
  };
  return html`<${FormDialog}
    title="Import machines"
    send=${stored || (isChecked && !good) ? "" : isChecked ? `Import ${rows(good)}` : "Check"}
    leave=${stored ? "Close" : "Cancel"}
    onSend=${submit}
    onClose=${onClose}
    wide=${true}
  >
    <${Field}
      wide
      type="file"
      name="file"
      label="CSV file"
      accept=".csv,text/csv"
      required=${!text.trim()}
      onChange=${changed((event) => setFile(event.target.files[0]))}
      hint=${HINT}
    />
    ${
      !file &&
      html`<${Field}
        wide
        as="textarea"
        rows="4"
        class="mono"
        label="Or its text"
        placeholder="hostName,ipAddress,location,tags.env"
        onInput=${changed((event) => setText(event.target.value))}
      />`
    }
    ${outcome && html`<${Outcome} ...${outcome} />`}
  <//>`;
}
