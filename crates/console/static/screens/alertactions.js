// What people do with alerts: acknowledge, suppress, close, each under the version that they saw.

import { call, each } from "../api.js";
import { Differences, actOnVersion } from "../conflict.js";
import { FormDialog } from "../dialog.js";
import { html, personName } from "../elements.js";
import { Field } from "../form.js";
import { useState } from "../hooks.js";
import { HOUR, fromInput, toInput, wire } from "../time.js";
import { say } from "../toast.js";

/** The actions: the verb of each, and what is said when it is done. */
const VERBS = {
  acknowledgeAlert: "Acknowledge",
  unacknowledgeAlert: "Unacknowledge",
  suppressAlert: "Suppress",
  unsuppressAlert: "Unsuppress",
  closeAlert: "Close",
};

export const DONE_WORDS = {
  acknowledgeAlert: "Acknowledged",
  unacknowledgeAlert: "No longer acknowledged",
  suppressAlert: "Suppressed",
  unsuppressAlert: "No longer suppressed",
  closeAlert: "Closed",
};

/**
 * The fields of an alert that are compared before an action. Another report of it is not a conflict.
 * @type {[string, string, (alert: any) => any][]}
 */
export const FIELDS = [
  ["status", "Status", (alert) => alert.status],
  ["acknowledgement", "Acknowledged by", (alert) => personName(alert.acknowledgement?.by)],
  ["suppression", "Suppressed by", (alert) => personName(alert.suppression?.by)],
  ["closure", "Closed by", (alert) => personName(alert.closure?.by)],
  ["currentState", "State", (alert) => alert.currentState],
  ["incidentId", "Incident", (alert) => alert.incidentId],
];

export const readAlert = (alert) => call("getAlert", { alertId: alert.id });

/** Alerts that others changed meanwhile, as first shown and as they are now. */
function Conflicts({ theirs }) {
  return html`<div class="wide theirs">
    <h3>Changed meanwhile</h3>
    ${theirs.map(
      ([alert, now]) => html`
        <p key=${alert.id}>${theirs.length > 1 && alert.subject}</p>
        <${Differences} fields=${FIELDS} found=${alert} theirs=${now} />
      `,
    )}
  </div>`;
}

const NOTE_HINTS = { unacknowledgeAlert: "People are notified again, and the escalation continues." };

/** The note of an action. */
export const Note = ({ problem, hint }) =>
  html`<${Field} as="textarea" rows="2" name="note" label="Note" wide problem=${problem} hint=${hint} />`;

/** How long alerts are suppressed: some hours, or until a time. */
export function Until({ problem }) {
  const [hours, setHours] = useState("1");
  return html`
    <${Field}
      as="select"
      name="hours"
      label="For"
      problem=${problem}
      onChange=${(event) => setHours(event.target.value)}
    >
      <option value="1">1 hour</option>
      <option value="4">4 hours</option>
      <option value="24">1 day</option>
      <option value="168">1 week</option>
      <option value="time">until a time…</option>
      <option value="">until it is closed</option>
    <//>
    ${
      hours === "time" &&
      html`<${Field}
        type="datetime-local"
        name="until"
        label="Until"
        required
        value=${toInput(Date.now() + 8 * HOUR)}
        problem=${problem}
      />`
    }
  `;
}

/** What is sent with an action: what was typed into its form. */
export function bodyFrom(values) {
  /** @type {{note?: string, until?: string}} */
  const body = {};
  if (values.note) body.note = values.note;
  if (values.hours === "time") body.until = fromInput(values.until);
  else if (values.hours) body.until = wire(Date.now() + Number(values.hours) * HOUR);
  return body;
}

/**
 * Asks for what an action takes, and does it with each of the alerts. One that others changed meanwhile is shown
 * before; `meanwhile` has those of which that is known, as they were found and as they are.
 */
export function Action({ name, alerts, meanwhile = /** @type {[any, any][]} */ ([]), onClose, onDone }) {
  const [all] = useState(alerts);
  const [left, setLeft] = useState(alerts);
  const [theirs, setTheirs] = useState(meanwhile);
  const title = VERBS[name];
  const many = all.length === 1 ? `“${all[0].subject}”` : `${all.length} alerts`;
  const known = new Map(theirs.map(([alert, now]) => [alert.id, now]));
  // Alerts that somebody else acknowledged or closed are only shown.
  const over = name === "acknowledgeAlert" ? theirs.filter(([, now]) => lateMessage(now)) : [];
  const open = left.filter((alert) => !over.some(([one]) => one.id === alert.id));
  const done = open.length
    ? ""
    : over.length === 1
      ? lateMessage(over[0][1])
      : "Others acknowledged or closed them meanwhile";
  /** @type {(alert: any, body: {note?: string, until?: string}) => Promise<any>} */
  const act = (alert, body) =>
    actOnVersion({
      found: known.get(alert.id) || alert,
      fields: FIELDS,
      read: () => readAlert(alert),
      work: (match) => call(name, /** @type {any} */ ({ alertId: alert.id, match, body })),
    });
  const send = async (values) => {
    const body = bodyFrom(values);
    const failed = await each(open, (alert) => act(alert, body));
    const changed = failed.filter(([, problem]) => problem.theirs);
    if (changed.length) {
      setLeft(changed.map(([alert]) => alert));
      setTheirs(changed.map(([alert, problem]) => /** @type {[any, any]} */ ([alert, problem.theirs])));
    }
    const refused = failed.filter(([, problem]) => !problem.theirs);
    if (refused.length && all.length > 1)
      say(`${DONE_WORDS[name]} ${open.length - failed.length} of ${open.length}.`, refused[0][1]);
    if (changed.length || (refused.length && all.length === 1)) throw (changed[0] || refused[0])[1];
    if (!failed.length) say(all.length === 1 ? `${DONE_WORDS[name]}.` : `${DONE_WORDS[name]}: ${all.length}.`);
    onDone(failed);
  };
  return html`<${FormDialog}
    title=${done || `${title} ${many}`}
    send=${done ? "" : theirs.length ? `${title} anyway` : title}
    leave=${done ? "Close" : "Cancel"}
    onSend=${send}
    onClose=${onClose}
    danger=${name === "closeAlert"}
    keep=${`${name} ${all.map((alert) => alert.id).join()}`}
  >
    ${(problem) => html`
      ${theirs.length > 0 && html`<${Conflicts} theirs=${theirs} />`}
      ${name === "suppressAlert" && html`<${Until} problem=${problem} />`}
      ${
        !done &&
        html`<${Note}
          problem=${problem}
          hint=${name === "closeAlert" ? "Reported again, it becomes a new alert." : NOTE_HINTS[name]}
        />`
      }
    `}
  <//>`;
}

/**
 * What is done with the escalation of an alert besides answering, and a note, at any time. A note has no version: it
 * contradicts nothing that others did meanwhile.
 * @returns {import("../recordactions.js").RecordAction[]}
 */
export function responses(alert) {
  const path = { alertId: alert.id };
  const heard = alert.status === "New" || alert.status === "Acknowledged";
  const taken = alert.status === "Acknowledged" ? " The acknowledgement is taken back." : "";
  const of = `“${alert.subject}”`;
  const labels = { users: "People", roster: "Or everybody who is on call in the roster" };
  return [
    {
      label: "Escalate…",
      title: `Escalate ${of}`,
      operation: "escalateAlert",
      path,
      when: heard,
      form: true,
      send: "Escalate",
      message: "Escalated.",
      layout: { fields: { note: { about: "" } } },
      question: `The next step of the escalation is taken at once.${taken}`,
    },
    {
      label: "Hand over…",
      title: `Hand over ${of}`,
      operation: "handOverAlert",
      path,
      when: heard,
      form: true,
      send: "Hand over",
      message: "Handed over.",
      layout: (value) => ({
        labels,
        omit: value.roster ? ["users"] : value.users?.length ? ["roster"] : [],
        fields: { users: { about: "" }, roster: { about: "" }, note: { about: "" } },
      }),
      change: ({ users, ...request }) => (users?.length ? { ...request, users } : request),
      question: `They are notified at once and have to acknowledge it.${taken}`,
    },
    {
      label: "Add note…",
      title: `Add a note to ${of}`,
      operation: "addAlertNote",
      path,
      form: true,
      send: "Add note",
      message: "The note was added.",
      layout: { labels: { text: "Note" }, fields: { text: { about: "" } } },
    },
  ];
}

/** Whether nobody acknowledged an alert yet. */
export const isUnacknowledged = (alert) =>
  alert.status === "New" || (alert.status === "Suppressed" && !alert.acknowledgement);

/** Says who acknowledged or closed an alert meanwhile; empty while it can be acknowledged. */
export function lateMessage(alert) {
  if (isUnacknowledged(alert)) return "";
  const who = personName((alert.closure || alert.acknowledgement)?.by) || "Somebody";
  return `${who} ${alert.status === "Closed" ? "closed" : "acknowledged"} it meanwhile`;
}

/**
 * Acknowledges at once, without asking. `list` shows of what the answer is waited for, and what was stored; `ask` is
 * called with those that others changed meanwhile, as they were found and as they are.
 * @param {any[]} alerts
 * @param {{onDone: () => void, list: any, ask: (theirs: [any, any][]) => void}} then
 */
export async function acknowledge(alerts, { onDone, list, ask }) {
  const open = alerts.filter((alert) => isUnacknowledged(alert) && !alert.sending);
  if (!open.length) return say("Nothing to acknowledge.");
  const stored = new Map();
  list.mark(open);
  const failed = await each(open, async (alert) => {
    const answer = await actOnVersion({
      found: alert,
      fields: FIELDS,
      read: () => readAlert(alert),
      work: (match) => call("acknowledgeAlert", { alertId: alert.id, match, body: {} }),
    });
    stored.set(alert.id, answer);
  });
  list.settle(open, stored);
  const changed = failed.filter(([, problem]) => problem.theirs);
  const refused = failed.find(([, problem]) => !problem.theirs);
  const all = open.length === 1 ? "Acknowledged." : `Acknowledged: ${open.length}.`;
  const some = stored.size ? `Acknowledged ${stored.size} of ${open.length}.` : "Not acknowledged.";
  if (changed.length < open.length) say(failed.length ? some : all, refused?.[1]);
  if (changed.length) ask(changed.map(([alert, problem]) => [alert, problem.theirs]));
  return onDone();
}
