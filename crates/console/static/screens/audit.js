// Audit: who changed what, before and after, and undoPlan it.

import { terms } from "../api.js";
import { Button, Empty, Head, Panel, State, Time, html } from "../elements.js";
import { Choices, Search } from "../form.js";
import { useList, useState } from "../hooks.js";
import { useNames } from "../responders.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";
import { fromInput, toInput, millis } from "../time.js";
import { Undo, undoPlan } from "../undo.js";

const ACTIONS = ["CREATE", "UPDATE", "DELETE"];
const VARIABLE = /^(userId|keyId|entity|entityId|requestId):/;

/** What is typed: an expression, an id, or a kind of thing. */
function expression(text) {
  if (!text || VARIABLE.test(text)) return text;
  if (/^USR\d/.test(text)) return `userId:${text}`;
  return /^[A-Z][A-Za-z]+$/.test(text) ? `entity:${text}` : `entityId:${text}`;
}

/** Where a thing is looked at, by its kind; kinds without a screen are left out. */
const SCREEN_LINKS = {
  Resource: (id) => link(["resources", id]),
  ALERT: (id) => link(["alerts", id]),
  INCIDENT: (id) => link(["incidents", id]),
  Job: (id) => link(["jobs", id]),
  KbArticle: (id) => link(["knowledge", id]),
  MaintenanceWindow: (id) => link("maintenance", { window: id }),
  User: (id) => link("people", { user: id }),
  EscalationPolicy: (id) => link("routing", { policy: id }),
};

const displayValue = (value) => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));

/** Who did it: a person by name, else the user or the key. */
const actorName = (row, names) => names.get(row.userId) || row.userId || row.keyId;

function Changes({ row, names, onDone }) {
  const changes = Object.entries(row.changes || {});
  const [undoing, setUndoing] = useState(false);
  return html`<${Panel}
    title=${`${row.action} ${row.entity} ${row.entityId}`}
    id="changes"
    actions=${html`
      ${undoPlan(row) && html`<${Button} onClick=${() => setUndoing(true)}>Undo…<//>`}
      <button type="button" class="link" onClick=${() => refine({ row: "" })}>Close</button>
    `}
  >
    ${
      row.action !== "DELETE" &&
      SCREEN_LINKS[row.entity] &&
      html`<p><a href=${SCREEN_LINKS[row.entity](row.entityId)}>Current state</a></p>`
    }
    <p class="small dim">
      <${Time} at=${row.time} /> ·${" "}
      ${row.userId ? html`<strong>${actorName(row, names)}</strong> (${row.userId})` : "no user"} · key ${row.keyId}
      ${row.requestId && html` · request <code>${row.requestId}</code>`}
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="Before and after">
      <table class="plain">
        <thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
        <tbody>
          ${changes.map(
            ([field, change]) => html`<tr>
              <td class="mono">${field}</td>
              <td class="before">${displayValue(change.before)}</td>
              <td class="after">${displayValue(change.after)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${undoing && html`<${Undo} row=${row} onClose=${() => setUndoing(false)} onDone=${onDone} />`}
  <//>`;
}

export default function Audit({ query }) {
  const [text, action, since] = ["q", "action", "since"].map((name) => query.get(name) || "");
  const queryString = [expression(text), terms({ action, startDate: since })].filter(Boolean).join("+");
  const list = useList("searchAuditLog", { queryString, pageSize: 100 });
  const names = useNames();
  const chosen = (list.rows || []).find((row) => row.id === query.get("row"));
  const columns = [
    {
      title: "Time",
      main: true,
      cell: (row) => html`<${Time} at=${row.time} />`,
      below: (row) => html`<span class="only-narrow">${actorName(row, names)}</span>`,
    },
    { title: "Action", cell: (row) => html`<${State} of=${row.action} />` },
    { title: "Type", class: "grow", cell: (row) => row.entity },
    { title: "Id", keep: 2, class: "mono small", cell: (row) => row.entityId },
    { title: "By", keep: 2, cell: (row) => actorName(row, names) },
    {
      title: "Fields",
      keep: 3,
      class: "dim small",
      cell: (row) =>
        Object.keys(row.changes || {})
          .slice(0, 4)
          .join(", "),
    },
  ];
  return html`
    <${Head} title="Audit" />
    <div class="filters">
      <${Search}
        value=${text}
        onValue=${(value) => refine({ q: value })}
        label="Search the audit log"
        placeholder="An id, Resource, or userId:USR0000000002"
      />
      <${Choices}
        label="Action"
        options=${ACTIONS}
        value=${action}
        onValue=${(value) => refine({ action: value.split(",").find((one) => one && one !== action) || "" })}
      />
      <label class="inline">
        Since${" "}
        <input
          type="datetime-local"
          value=${since ? toInput(millis(since)) : ""}
          onChange=${(event) => refine({ since: fromInput(event.target.value) })}
        />
      </label>
    </div>
    ${chosen && html`<${Changes} key=${chosen.id} row=${chosen} names=${names} onDone=${list.reload} />`}
    <${Rows}
      list=${list}
      columns=${withClient(columns)}
      also=${names.size}
      label="Changes"
      href=${(row) => link("audit", { q: text, action, since, row: row.id })}
      empty=${html`<${Empty} title="No change matches." />`}
    />
  `;
}
