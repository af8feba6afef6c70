// Incidents.

import { quoted, terms } from "../api.js";
import { useChangeStream } from "../changestream.js";
import { Empty, Head, State, Time, html, personName } from "../elements.js";
import { Choices, Search } from "../form.js";
import { useList } from "../hooks.js";
import { RecordActions } from "../recordactions.js";
import { go, link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";
import { LAYOUT, PRIORITIES, STATUSES } from "./incidentform.js";

const NEW = {
  label: "New incident…",
  operation: /** @type {const} */ ("createIncident"),
  form: true,
  primary: true,
  layout: LAYOUT,
  message: "Created.",
  done: (made) => go(link(["incidents", made.id])),
};

export default function Incidents({ query }) {
  const status = query.has("status") ? query.get("status") : "New,Open,Pending";
  const priority = query.get("priority") || "";
  const subject = query.get("subject") || "";
  const category = query.get("category") || "";
  const list = useList(
    "searchIncidents",
    {
      queryString: terms({
        status: status === "any" ? "" : status,
        priority,
        subject: quoted(subject),
        categoryId: category,
      }),
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
      actions=${html`<${RecordActions} actions=${[NEW]} onDone=${list.reload} />`}
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
      ${
        category &&
        html`<p class="hint wide">
          Of one category only.${" "}
          <button type="button" class="link" onClick=${() => refine({ category: "" })}>Show all categories</button>
        </p>`
      }
    </div>
    <${Rows}
      list=${list}
      columns=${withClient(columns)}
      label="Incidents"
      href=${(row) => link(["incidents", row.id])}
      empty=${html`<${Empty} title="No incident matches.">
        <a href=${link("incidents", { status: "any" })}>Show all incidents</a>
      <//>`}
    />
  `;
}
