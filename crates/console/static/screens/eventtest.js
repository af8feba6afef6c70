// Trying an integration event: whether it fires for a record, and the request that would be sent.

import { call, may } from "../api.js";
import { Badge, Button, Trouble, html } from "../elements.js";
import { useAnswer, useState } from "../hooks.js";
import { Labelled } from "../schemacontrols.js";

const NEWEST = { pageSize: 20 };

/** How the newest records of an entity are found, and one of them is read. @type {Record<string, any>} */
const RECORDS = {
  ALERT: [(signal) => call("searchAlerts", { query: NEWEST, signal }), (alertId) => call("getAlert", { alertId })],
  INCIDENT: [
    (signal) => call("searchIncidents", { query: NEWEST, signal }),
    (incidentId) => call("getIncident", { incidentId }),
  ],
  Resource: [
    (signal) => call("searchResources", { query: NEWEST, signal }),
    (resourceId) => call("getResource", { resourceId }),
  ],
  JobRun: [(signal) => call("searchJobRuns", { query: NEWEST, signal }), (runId) => call("getJobRun", { runId })],
  Roster: [(signal) => call("searchRosters", { query: NEWEST, signal }), (rosterId) => call("getRoster", { rosterId })],
  MaintenanceWindow: [
    (signal) => call("searchMaintenanceWindows", { query: NEWEST, signal }),
    (windowId) => call("getMaintenanceWindow", { windowId }),
  ],
};

const titleOf = (row) => row.subject || row.name || row.hostName || row.job?.name || row.id;

/** What the service answered. */
function Outcome({ of }) {
  const { fires, reasons, rules, request, response } = of;
  return html`<div class="wide" role="status">
    <p>
      <${Badge} kind=${fires ? "good" : "warn"}>${fires ? "fires" : "does not fire"}<//>
      ${reasons?.map((reason) => ` ${reason}`)}
    </p>
    ${
      rules.length > 0 &&
      html`<div class="scroll" tabindex="0" role="region" aria-label="Rules">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Key</th><th scope="col">Operator</th><th scope="col">Value</th>
              <th scope="col">Found</th><th scope="col">Matches</th>
            </tr>
          </thead>
          <tbody>
            ${rules.map(
              (rule) => html`<tr>
                <td>${rule.key}</td>
                <td>${rule.operator}</td>
                <td>${rule.value}</td>
                <td>${rule.actual?.join(", ")}</td>
                <td>${rule.matches ? "yes" : "no"}</td>
              </tr>`,
            )}
          </tbody>
        </table>
      </div>`
    }
    ${
      request &&
      html`<h3>Request</h3>
        <pre class="output" tabindex="0">${request.method} ${request.url}${"\n"}${request.headers
          .map(({ key, value }) => `${key}: ${value}\n`)
          .join("")}${"\n"}${request.body}</pre>`
    }
    ${
      response &&
      html`<h3>Answer</h3>
        <p><${Badge} kind=${response.delivered ? "good" : "bad"}>${response.status || "no answer"}<//> ${response.error}</p>
        ${response.body && html`<pre class="output" tabindex="0">${response.body}</pre>`}`
    }
  </div>`;
}

/** JSON that is typed; undefined where nothing is. */
function parsed(text, what) {
  if (!text.trim()) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw Object.assign(new Error(`${what} is not JSON.`), { title: "Not JSON" });
  }
}

/**
 * Tries an event with a record of its entity, or with JSON that is typed. `run(body)` calls the service.
 * @param {{entity?: string, run: (body: any) => Promise<any>}} given
 */
export function EventTest({ entity = "", run }) {
  const [find, read] = RECORDS[entity] || [];
  const records = useAnswer(async (signal) => (find ? (await find(signal)).results : []), entity);
  const [object, setObject] = useState("");
  const [previous, setPrevious] = useState("");
  const [outcome, setOutcome] = useState();
  const [problem, setProblem] = useState();
  const take = async (event) => {
    const id = event.target.value;
    if (!id) return;
    try {
      setObject(JSON.stringify(await read(id), null, 2));
    } catch (failed) {
      setProblem(failed);
    }
  };
  const attempt = async (send) => {
    setOutcome();
    setProblem();
    try {
      const body = {
        object: parsed(object, "The record") || {},
        previous: parsed(previous, "The former record"),
        send,
      };
      setOutcome(await run(body));
    } catch (failed) {
      setProblem(failed);
    }
  };
  const json = (label, hint, text, set) => html`<${Labelled} label=${label} hint=${hint} wide>
    ${(rest) => html`<textarea
      ...${rest}
      rows="5"
      class="mono"
      spellcheck=${false}
      value=${text}
      onInput=${(event) => set(event.target.value)}
    ></textarea>`}
  <//>`;
  return html`<div class="fields">
    ${
      records.data?.length > 0 &&
      html`<${Labelled} label="Record" hint="One of the newest" wide>
        ${(rest) => html`<select ...${rest} onChange=${take}>
          <option value="">–</option>
          ${records.data.map((row) => html`<option value=${row.uniqueId ?? row.id}>${titleOf(row)}</option>`)}
        </select>`}
      <//>`
    }
    ${json("Record as JSON", "", object, setObject)}
    ${json("The same before the change", "For rules about what was changed", previous, setPrevious)}
    <div class="wide actions">
      <${Button} onClick=${() => attempt(false)}>Preview<//>
      ${may("configureIntegrationEvent") && html`<${Button} onClick=${() => attempt(true)}>Send a test<//>`}
    </div>
    ${problem && html`<div class="wide"><${Trouble} problem=${problem} /></div>`}
    ${outcome && html`<${Outcome} of=${outcome} />`}
  </div>`;
}
