// Incidents.

import { call, may, searchableText, terms } from "../api.js";
import { useChangeStream } from "../changestream.js";
import { FormDialog } from "../dialog.js";
import { Button, Empty, Head, State, Time, html, personName } from "../elements.js";
import { Choices, SearchNotice, Field, Search } from "../form.js";
import { useList, useState } from "../hooks.js";
import { go, link, refine } from "../route.js";
import { Rows } from "../table.js";

export const STATUSES = ["New", "Open", "Pending", "Resolved", "Closed"];
export const PRIORITIES = ["Urgent", "High", "Normal", "Low", "Very Low"];

function Create({ onClose }) {
  const send = async (values) => {
    const made = await call("createIncident", {
      body: { subject: values.subject, description: values.description || undefined, priority: values.priority },
    });
    go(link(["incidents", made.id]));
  };
  return html`<${FormDialog} title="New incident" send="Create" onSend=${send} onClose=${onClose} keep="incident">
    ${(problem) => html`
      <${Field} name="subject" label="Subject" required maxlength="500" wide problem=${problem} />
      <${Field} as="select" name="priority" label="Priority" problem=${problem}>
        ${PRIORITIES.map(
          (priority) => html`<option value=${priority} selected=${priority === "Normal"}>${priority}</option>`,
        )}
      <//>
      <${Field} as="textarea" rows="5" name="description" label="Description" wide problem=${problem} />
    `}
  <//>`;
}

export default function Incidents({ query }) {
  const status = query.has("status") ? query.get("status") : "New,Open,Pending";
  const priority = query.get("priority") || "";
  const subject = query.get("subject") || "";
  const [creating, setCreating] = useState(false);
  const list = useList(
    "searchIncidents",
    {
      queryString: terms({ status: status === "any" ? "" : status, priority, subject: searchableText(subject) }),
      pageSize: 100,
    },
    {},
    30e3,
  );
  useChangeStream(["INCIDENT"], list.reload);
  const columns = [
    { title: "Priority", cell: (row) => html`<${State} of=${row.priority} />` },
    {
      title: "Subject",
      main: true,
      class: "grow",
      cell: (row) => row.subject,
      below: (row) => html`<span class="dim">${row.id}${row.category && ` · ${row.category.name}`}</span>`,
    },
    { title: "Status", cell: (row) => html`<${State} of=${row.status} />` },
    {
      title: "Assignee",
      keep: 2,
      cell: (row) => personName(row.assignee) || row.assigneeGroup?.name || html`<span class="dim">nobody</span>`,
    },
    { title: "Opened", keep: 2, cell: (row) => html`<${Time} at=${row.createdDate} ago=${true} />` },
    { title: "Due", keep: 3, cell: (row) => html`<${Time} at=${row.dueDate} />` },
  ];
  return html`
    <${Head}
      title="Incidents"
      actions=${
        may("createIncident") && html`<${Button} kind="primary" onClick=${() => setCreating(true)}>New incident…<//>`
      }
    />
    <div class="filters">
      <${Search}
        value=${subject}
        onValue=${(text) => refine({ subject: text })}
        label="Subject contains"
        placeholder="Subject contains…"
      />
      <${Choices}
        label="Status"
        options=${STATUSES}
        value=${status === "any" ? "" : status}
        onValue=${(value) => refine({ status: value || "any" })}
      />
      <${Choices}
        label="Priority"
        options=${PRIORITIES}
        value=${priority}
        onValue=${(value) => refine({ priority: value })}
      />
      <${SearchNotice} text=${subject} />
    </div>
    <${Rows}
      list=${list}
      columns=${columns}
      label="Incidents"
      href=${(row) => link(["incidents", row.id])}
      empty=${html`<${Empty} title="No incident matches.">
        <a href=${link("incidents", { status: "any" })}>Show all incidents</a>
      <//>`}
    />
    ${creating && html`<${Create} onClose=${() => setCreating(false)} />`}
  `;
}
