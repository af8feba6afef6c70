// Maintenance: windows, when they are open, and what to do with one.

import { call, may, terms } from "../api.js";
import { COLOURS, Lanes } from "../lanes.js";
import { link, refine } from "../route.js";
import { DAY, fromInput, midnight, millis, toInput, wire, zone } from "../time.js";
import { Button, Choices, Empty, Facts, Field, FormDialog, Head, Loading, Panel, Rows, Search, State, Time, Trouble, attempt, html, personName, useAnswer, useList, useState } from "../ui.js";

const STATES = ["Active", "Pending", "Suspended", "Completed"];
const DAYS = 14;

const parts = (text) => (text || "").split(",").map((part) => part.trim()).filter(Boolean);

/**
 * The body of a create, from the form.
 * @returns {Sent<"createMaintenanceWindow">}
 */
export function bodyOf(values) {
  const recurring = values.repeat && values.repeat !== "once";
  const patterns = { daily: { type: "daily", dayFrequency: "everyday" }, weekdays: { type: "daily", dayFrequency: "every weekday" }, weekly: { type: "weekly" } };
  const times = { startTime: fromInput(values.start), endTime: fromInput(values.end) };
  return {
    name: values.name, description: values.description || undefined,
    devices: parts(values.devices).map((hostName) => ({ hostName })), deviceGroups: parts(values.groups).map((name) => ({ name })), locations: parts(values.sites).map((name) => ({ name })),
    schedule: recurring ? { type: "Recurring", ...times, timezone: values.timezone, pattern: patterns[values.repeat] } : { type: "One-Time", ...times },
    endBy: recurring ? "NEVER" : undefined,
  };
}

function Create({ onClose, onDone }) {
  const [preview, setPreview] = useState();
  const hour = Math.ceil(Date.now() / 3600e3) * 3600e3;
  const send = async (values) => {
    const made = await call("createMaintenanceWindow", { body: bodyOf(values) });
    onDone(made.uniqueId);
  };
  const look = async (event) => {
    const values = Object.fromEntries(new FormData(event.currentTarget.form));
    try {
      const from = Math.min(Date.now(), millis(fromInput(values.start) || wire(Date.now())));
      const found = await call("previewMaintenanceWindow", { query: { from: wire(from), to: wire(from + 60 * DAY) }, body: bodyOf(values) });
      setPreview({ occurrences: found.results });
    } catch (problem) {
      setPreview({ problem });
    }
  };
  return html`<${FormDialog} title="A window in which machines are worked on" send="Create" onSend=${send} onClose=${onClose} keep="window" wide=${true}>${(problem) => html`
    <${Field} name="name" label="Name" required maxlength="200" problem=${problem} wide />
    <${Field} name="devices" label="Machines" problem=${problem} hint="Host names, separated by commas" />
    <${Field} name="groups" label="Device groups" problem=${problem} hint="Names" />
    <${Field} name="sites" label="Sites" problem=${problem} hint="Names" />
    <${Field} as="select" name="repeat" label="When" problem=${problem}><option value="once">Once</option><option value="daily">Every day</option><option value="weekdays">Every weekday</option><option value="weekly">Every week</option><//>
    <${Field} type="datetime-local" name="start" label="From" problem=${problem} value=${toInput(hour)} required />
    <${Field} type="datetime-local" name="end" label="To" problem=${problem} value=${toInput(hour + 2 * 3600e3)} required />
    <${Field} name="timezone" label="Zone, when it repeats" problem=${problem} value=${zone === "UTC" ? "Europe/London" : zone} />
    <${Field} name="description" label="Why" problem=${problem} />
    <div class="field wide"><${Button} onClick=${look}>Preview<//>
      ${preview?.problem && html`<${Trouble} problem=${preview.problem} />`}
      ${preview?.occurrences && html`<div class="preview" role="status">${preview.occurrences.length ? html`<p>In 60 days it is open ${preview.occurrences.length === 1 ? "once" : `${preview.occurrences.length} times`}:</p><ul>${preview.occurrences.slice(0, 6).map((occurrence) => html`<li><${Time} at=${occurrence.start} /> to <${Time} at=${occurrence.end} /></li>`)}${preview.occurrences.length > 6 && html`<li>and so on</li>`}</ul>` : html`<p>It is never open.</p>`}</div>`}</div>`}<//>`;
}

function Extend({ window, onClose, onDone }) {
  return html`<${FormDialog} title=${`“${window.name}” ends later`} send="Extend" onClose=${onClose} onSend=${async (values) => onDone(await call("extendMaintenanceWindow", { windowId: window.uniqueId, body: { minutes: Number(values.minutes) } }))}>${(problem) => html`
    <${Field} type="number" min="1" max="10080" name="minutes" label="Minutes" value="30" problem=${problem} required />`}<//>`;
}

/** One window, beside the list. */
function Detail({ id, onChange }) {
  const answer = useAnswer((signal) => call("getMaintenanceWindow", { windowId: id, signal }), id, 30e3);
  const [extending, setExtending] = useState(false);
  const window = answer.data;
  if (!window) return html`<${Panel} title="Window" id="window">${answer.problem ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />` : html`<${Loading} />`}<//>`;
  const done = () => {
    answer.reload();
    onChange();
  };
  /** @param {"skipMaintenanceOccurrence" | "suspendMaintenanceWindow" | "resumeMaintenanceWindow" | "endMaintenanceWindow"} name */
  const act = async (name, said, body = {}) => (await attempt(said, () => call(name, { windowId: id, body }))) && done();
  const targets = (list) => list?.length > 0 && list.map((target) => target.name || target.hostName || target.id).join(", ");
  const open = window.state === "Active";
  return html`<${Panel} title=${window.name} id="window" actions=${html`<button type="button" class="link" onClick=${() => refine({ window: "" })}>Close</button>`}>
    <p><${State} of=${window.state} /> ${window.current ? html`open until <${Time} at=${window.current.end} />` : window.next ? html`next <${Time} at=${window.next.start} /> to <${Time} at=${window.next.end} />` : "nothing is left of it"}</p>
    ${window.description && html`<p>${window.description}</p>`}
    <${Facts} of=${[["Machines", targets(window.devices)], ["Device groups", targets(window.deviceGroups)], ["Sites", targets(window.locations)], ["Repeats", window.schedule?.pattern && `${window.schedule.pattern.dayFrequency || window.schedule.pattern.type} (${window.schedule.timezone})`],
      ["Afterwards", window.runEscalationAction ? "what is still open is escalated" : "what is open stays suppressed"], ["Made by", personName(window.createdBy)]]} />
    <div class="actions">
      ${open && may("extendMaintenanceWindow") && html`<${Button} kind="primary" onClick=${() => setExtending(true)}>Extend…<//>`}
      ${(window.current || window.next) && may("skipMaintenanceOccurrence") && html`<${Button} onClick=${() => act("skipMaintenanceOccurrence", "Skipped.", { start: (window.current || window.next).start })}>${window.current ? "Skip this one" : "Skip the next"}<//>`}
      ${window.state === "Pending" && may("suspendMaintenanceWindow") && html`<${Button} onClick=${() => act("suspendMaintenanceWindow", "Suspended.", { pattern: "now" })}>Suspend<//>`}
      ${window.state === "Suspended" && may("resumeMaintenanceWindow") && html`<${Button} onClick=${() => act("resumeMaintenanceWindow", "Resumed.")}>Resume<//>`}
      ${open && may("endMaintenanceWindow") && html`<${Button} kind="danger" onClick=${() => act("endMaintenanceWindow", "Ended.")}>End now<//>`}
    </div>
    ${extending && html`<${Extend} window=${window} onClose=${() => setExtending(false)} onDone=${done} />`}<//>`;
}

export default function Maintenance({ query }) {
  const [creating, setCreating] = useState(false);
  const text = query.get("name") || "";
  const state = query.get("state") || "";
  const chosen = query.get("window");
  const list = useList("searchMaintenanceWindows", { queryString: terms({ name: text, state }), pageSize: 50 }, {}, 60e3);
  const from = midnight(Date.now());
  const to = midnight(from, DAYS);
  const shown = (list.rows || []).filter((window) => window.state !== "Completed").slice(0, 20);
  const plan = useAnswer((signal) => Promise.all(shown.map((window) => call("listMaintenanceOccurrences", { windowId: window.uniqueId, signal, query: { from: wire(from), to: wire(to) } }))),
    shown.map((window) => `${window.uniqueId} ${window.updatedDate}`).join() + (list.data ? "." : ""));
  const lanes = plan.data?.length === shown.length ? shown.map((window, place) => ({ name: window.name, parts: plan.data[place].results.map((occurrence) => ({ ...occurrence, text: window.name, colour: place % COLOURS })) })) : [];
  const columns = [
    { title: "Name", main: true, class: "grow", cell: (row) => row.name, below: (row) => html`<span class="dim">${row.description}</span>` },
    { title: "State", cell: (row) => html`<${State} of=${row.state} />` },
    { title: "When", keep: 2, cell: (row) => (row.current ? html`until <${Time} at=${row.current.end} />` : row.next ? html`<${Time} at=${row.next.start} />` : "") },
    { title: "Targets", keep: 3, class: "number", cell: (row) => row.devices.length + row.deviceGroups.length + row.locations.length },
  ];
  return html`
    <${Head} title="Maintenance" actions=${may("createMaintenanceWindow") && html`<${Button} kind="primary" onClick=${() => setCreating(true)}>New window…<//>`} />
    <div class="filters"><${Search} value=${text} onValue=${(value) => refine({ name: value })} label="Name contains" placeholder="Name contains…" />
      <${Choices} label="State" options=${STATES} value=${state} onValue=${(value) => refine({ state: value })} /></div>
    ${chosen && html`<${Detail} key=${chosen} id=${chosen} onChange=${list.reload} />`}
    ${lanes.length > 0 && html`<${Panel} title="The next fourteen days" id="lanes"><${Lanes} lanes=${lanes} from=${from} to=${to} label="When windows are open" /><//>`}
    <${Trouble} problem=${plan.problem} />
    <${Rows} list=${list} columns=${columns} label="Maintenance windows" id=${(row) => row.uniqueId} href=${(row) => link("maintenance", { name: text, state, window: row.uniqueId })}
      empty=${text || state ? html`<${Empty} title="No window matches." />` : html`<${Empty} title="No window is planned.">While one is open, alerts of what it covers wake nobody.<//>`} />
    ${creating && html`<${Create} onClose=${() => setCreating(false)} onDone=${(id) => {
      list.reload();
      refine({ window: id });
    }} />`}`;
}
