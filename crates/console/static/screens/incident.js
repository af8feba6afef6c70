// One incident: what, who, the machines and alerts, the notes.

import { call, may, readAll, session } from "../api.js";
import { Differences, actOnVersion } from "../conflict.js";
import { Copyable } from "../copy.js";
import { FormDialog, draft, forget, remember } from "../dialog.js";
import { Button, Empty, Facts, Head, Loading, Panel, State, Time, Trouble, html, personName } from "../elements.js";
import { Field } from "../form.js";
import { useAnswer, useState } from "../hooks.js";
import { Markdown } from "../markdown.js";
import { RecordActions } from "../recordactions.js";
import { link } from "../route.js";
import { attempt, say } from "../toast.js";
import { editLayout, incidentBody, only } from "./incidentform.js";

const FIELDS = [
  ["subject", "Subject", (one) => one.subject],
  ["status", "Status", (one) => one.status],
  ["priority", "Priority", (one) => one.priority],
  ["assignee", "Assignee", (one) => one.assignee?.id, (one) => personName(one.assignee)],
  ["description", "Description", (one) => one.description],
];

/** The dialog that closes an incident; changes by somebody else are shown first. */
function Close({ incident, onClose, onDone }) {
  const [theirs, setTheirs] = useState();
  const close = (note) => (match) =>
    call("closeIncident", { incidentId: incident.id, match, body: note ? { note } : {} });
  const send = async ({ note }) => {
    try {
      await actOnVersion({
        found: theirs || incident,
        fields: FIELDS,
        read: () => call("getIncident", { incidentId: incident.id }),
        work: close(note),
      });
    } catch (problem) {
      if (problem.theirs) setTheirs(problem.theirs);
      throw problem;
    }
    onDone();
  };
  return html`<${FormDialog}
    title=${`Close ${incident.id}`}
    send=${theirs ? "Close anyway" : "Close"}
    onClose=${onClose}
    keep=${`close ${incident.id}`}
    onSend=${send}
  >
    ${(problem) => html`
      ${
        theirs &&
        html`<div class="wide theirs"><${Differences} fields=${FIELDS} found=${incident} theirs=${theirs} /></div>`
      }
      <${Field} as="textarea" rows="3" name="note" label="Closing note" wide problem=${problem} />
    `}
  <//>`;
}

/** The draft of a postmortem, to read and to copy. */
function Postmortem({ id, onClose }) {
  const answer = useAnswer((signal) => call("getIncidentPostmortem", { incidentId: id, signal }), id);
  const text = /** @type {any} */ (answer.data);
  return html`<${FormDialog}
    title=${`Postmortem of ${id}`}
    send=""
    leave="Close"
    onSend=${() => {}}
    onClose=${onClose}
    wide
  >
    <div class="wide">
      <${Trouble} problem=${answer.problem} again=${answer.reload} />
      ${!text && !answer.problem && html`<${Loading} />`}
      ${
        text &&
        html`
          <div class="draft" tabindex="0" role="region" aria-label="Postmortem"><${Markdown} text=${text} /></div>
          <${Copyable} label="Markdown" text=${text} note="A draft: what is known of the incident, minute by minute." />
        `
      }
    </div>
  <//>`;
}

/** What can be done with an incident besides closing it. */
function actionsOf(incident) {
  const { id } = incident;
  const path = { incidentId: id };
  const read = () => call("getIncident", path);
  const open = incident.status !== "Closed";
  const me = session.me.user;
  const update = { operation: /** @type {const} */ ("updateIncident"), path, read, message: "Saved." };
  const edit = { ...update, when: open, edits: incident, change: incidentBody };
  return {
    change: {
      ...edit,
      label: "Change…",
      title: `Change ${id}`,
      primary: true,
      layout: editLayout(incident),
    },
    mine: {
      ...update,
      label: "Assign to me",
      when: open && incident.assignee?.id !== me.id,
      found: incident,
      fields: FIELDS,
      body: { assignee: { id: me.id } },
      message: "Assigned to you.",
    },
    reassign: {
      ...edit,
      label: "Reassign…",
      title: `Reassign ${id}`,
      layout: only("assignee", "assigneeGroup"),
    },
    reopen: {
      ...update,
      label: "Reopen",
      when: !open,
      found: incident,
      fields: FIELDS,
      body: { status: "Open" },
      message: "Reopened.",
    },
    escalate: {
      label: "Escalate…",
      title: `Escalate ${id}`,
      when: open,
      operation: /** @type {const} */ ("escalateIncident"),
      path,
      form: true,
      layout: { within: { tenant: incident.clientUniqueId } },
      send: "Escalate",
      question:
        "People are told by the policy, one step after the other, until the status is Open, Resolved or Closed.",
    },
    alerts: { ...edit, label: "Link alerts…", title: `Link alerts to ${id}`, layout: only("alerts") },
    machines: { ...edit, label: "Link machines…", title: `Link machines to ${id}`, layout: only("resources") },
  };
}

/** Maintenance windows of its machines, articles and jobs that may help. */
function Related({ id }) {
  const answer = useAnswer((signal) => call("getIncidentRelations", { incidentId: id, signal }), id);
  const { windows = [], articles = [], jobs = [] } = answer.data || {};
  return html`<${Panel} title="Related" id="related">
    <${Trouble} problem=${answer.problem} />
    ${answer.data && !(windows.length || articles.length || jobs.length) && html`<${Empty} title="Nothing related." />`}
    <ul class="plain-list">
      ${windows.map(
        (one) => html`<li key=${`${one.uniqueId} ${one.resource.id}`}>
          ${one.resource.name || one.resource.hostName} is in maintenance:${" "}
          <a href=${link("maintenance", { window: one.uniqueId })}>${one.name}</a>, until <${Time} at=${one.end} />
        </li>`,
      )}
      ${articles.map(
        (one) => html`<li key=${one.id}>Read: <a href=${link(["knowledge", one.id])}>${one.title}</a></li>`,
      )}
      ${jobs.map((one) => html`<li key=${one.id}>Run: <a href=${link(["jobs", one.id])}>${one.name}</a></li>`)}
    </ul>
  <//>`;
}

export default function Incident({ id }) {
  const answer = useAnswer((signal) => call("getIncident", { incidentId: id, signal }), id, 20e3);
  const notes = useAnswer((signal) => readAll("listIncidentNotes", { incidentId: id, signal }), id, 20e3);
  const [postmortem, setPostmortem] = useState(false);
  const [closing, setClosing] = useState();
  const incident = answer.data;
  const back = ["Incidents", link("incidents")];
  if (!incident)
    return html`
      <${Head} title=${answer.problem ? "Incident" : "…"} back=${back} />
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />` : html`<${Loading} />`}
    `;
  const fresh = () => {
    answer.reload();
    notes.reload();
  };
  const note = async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const content = form.elements.content.value.trim();
    if (
      content &&
      (await attempt("Note added.", () => call("addIncidentNote", { incidentId: id, body: { content } })))
    ) {
      forget(`note ${id}`);
      form.elements.content.value = "";
      fresh();
    }
  };
  const open = incident.status !== "Closed";
  const actions = actionsOf(incident);
  const linking = (action) => html`<${RecordActions} actions=${[action]} onDone=${fresh} />`;
  return html`
    <${Head}
      title=${incident.subject}
      back=${back}
      actions=${html`
        <${RecordActions} actions=${[actions.change, actions.mine, actions.reassign, actions.reopen]} onDone=${fresh} />
        <${RecordActions}
          actions=${[actions.escalate]}
          onDone=${(told) => {
            say(`Escalated: ${told.pages.length} ${told.pages.length === 1 ? "page" : "pages"} so far.`);
            fresh();
          }}
        />
        ${open && may("closeIncident") && html`<${Button} onClick=${() => setClosing(incident)}>Close…<//>`}
        ${may("getIncidentPostmortem") && html`<${Button} onClick=${() => setPostmortem(true)}>Postmortem…<//>`}
      `}
    >
      <${State} of=${incident.priority} /> <${State} of=${incident.status} /> ${incident.id} · opened${" "}
      <${Time} at=${incident.createdDate} ago=${true} /> by ${personName(incident.createdBy)}
    <//>
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    <div class="columns wide-left">
      <div>
        <${Panel} title="Details" id="what">
          ${
            incident.description
              ? html`<${Markdown} text=${incident.description} />`
              : html`<p class="dim">No description.</p>`
          }
          <${Facts} of=${[
            ["Assignee", personName(incident.assignee)],
            ["Group", incident.assigneeGroup?.name],
            ["Requester", personName(incident.requester)],
            ["Category", [incident.category?.name, incident.subCategory?.name].filter(Boolean).join(" › ")],
            ["Roster", incident.roster?.name],
            ["Due", incident.dueDate && html`<${Time} at=${incident.dueDate} />`],
            ["Resolved", incident.resolvedDate && html`<${Time} at=${incident.resolvedDate} />`],
            ["Closed", incident.closedDate && html`<${Time} at=${incident.closedDate} />`],
          ]} />
        <//>
        <${Panel} title=${`Notes (${incident.noteCount})`} id="notes">
          <${Trouble} problem=${notes.problem} />
          ${
            may("addIncidentNote") &&
            html`<form
              class="note-form"
              onSubmit=${note}
              onInput=${(event) => remember(`note ${id}`, { content: event.target.value })}
            >
              <textarea
                name="content"
                rows="3"
                defaultValue=${draft(`note ${id}`).content}
                aria-label="New note"
                placeholder="What did you see, what did you do?"
                maxlength="10000"
              ></textarea>
              <button class="button">Add note</button>
            </form>`
          }
          <ul class="notes">
            ${(notes.data || []).map(
              (one) => html`<li key=${one.id}>
                <div class="dim small">${personName(one.createdBy)} · <${Time} at=${one.createdDate} /></div>
                <${Markdown} text=${one.content} />
              </li>`,
            )}
          </ul>
        <//>
      </div>
      <div>
        <${Related} id=${id} />
        <${Panel} title="Machines" id="machines" actions=${linking(actions.machines)}>
          ${
            incident.resources?.length
              ? html`<ul class="plain-list">
                  ${incident.resources.map(
                    (one) => html`<li><a href=${link(["resources", one.id])}>${one.name || one.hostName}</a></li>`,
                  )}
                </ul>`
              : html`<${Empty} title="No machines." />`
          }
        <//>
        <${Panel} title="Alerts" id="alerts" actions=${linking(actions.alerts)}>
          ${
            incident.alerts?.length
              ? html`<ul class="plain-list">
                  ${incident.alerts.map((one) => html`<li><a href=${link(["alerts", one.id])}>${one.subject}</a></li>`)}
                </ul>`
              : html`<${Empty} title="No alerts." />`
          }
        <//>
      </div>
    </div>
    ${postmortem && html`<${Postmortem} id=${id} onClose=${() => setPostmortem(false)} />`}
    ${closing && html`<${Close} incident=${closing} onClose=${() => setClosing()} onDone=${fresh} />`}
  `;
}
