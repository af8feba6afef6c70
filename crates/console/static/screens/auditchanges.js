// One change of the audit log: what it changed, before and after, with names for ids, and undoing its change set.

import { may } from "../api.js";
import { Button, Panel, Time, html, stateName } from "../elements.js";
import { useMemo, useState } from "../hooks.js";
import { actorOf, nameOf, recordsIn, useRecordNames } from "../recordnames.js";
import { link, refine } from "../route.js";
import { UndoDialog } from "../undodialog.js";

/** Where a thing is looked at, by its kind; kinds without a screen are left out. */
const SCREEN_LINKS = {
  Resource: (id) => link(["resources", id]),
  ALERT: (id) => link(["alerts", id]),
  INCIDENT: (id) => link(["incidents", id]),
  IncidentCategory: (id) => link(["categories", id]),
  Job: (id) => link(["jobs", id]),
  KbArticle: (id) => link(["knowledge", id]),
  MaintenanceWindow: (id) => link("maintenance", { window: id }),
  Roster: (id) => link(["rosters", id]),
  Site: (id) => link(["sites", id]),
  Integration: (id) => link(["integrations", id]),
  User: (id) => link("people", { user: id }),
  UserGroup: (id) => link(["usergroups", id]),
  EscalationPolicy: (id) => link("routing", { policy: id }),
};

export const valueWords = (value) =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** A value of a field; of the records that it refers to the names. */
function Value({ value, field }) {
  const words = valueWords(value);
  const records = recordsIn(value, field)
    .map(([kind, id]) => [id, nameOf(kind, id)])
    .filter(([, name]) => name);
  if (records.length === 1 && records[0][0] === words)
    return html`${records[0][1]} <span class="mono small dim">${words}</span>`;
  return html`
    ${words}
    ${records.map(([id, name]) => html`<div class="small"><span class="mono dim">${id}</span> ${name}</div>`)}
  `;
}

export function Changes({ row, onDone }) {
  const changes = Object.entries(row.changes || {});
  const [undoing, setUndoing] = useState(false);
  const rows = useMemo(() => [row], [row]);
  useRecordNames(rows, true);
  const actor = actorOf(row);
  return html`<${Panel}
    title=${`${stateName(row.action)} ${row.entity} ${nameOf(row.entity, row.entityId) || row.entityId}`}
    id="changes"
    actions=${html`
      ${row.changeSet && may("undoChangeSet") && html`<${Button} onClick=${() => setUndoing(true)}>Undo…<//>`}
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
      ${row.userId ? html`<strong>${actor}</strong> (${row.userId})` : "no user"} · key ${row.keyId}
      ${row.requestId && html` · request <code>${row.requestId}</code>`}
      ${" "}· ${row.entity} <code>${row.entityId}</code>
      ${!row.changeSet && " · belongs to no change set, so it cannot be undone"}
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="Before and after">
      <table class="plain unbroken">
        <thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
        <tbody>
          ${changes.map(
            ([field, change]) => html`<tr>
              <td class="mono">${field}</td>
              <td class="before" dir="auto"><${Value} value=${change.before} field=${field} /></td>
              <td class="after" dir="auto"><${Value} value=${change.after} field=${field} /></td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${
      undoing &&
      html`<${UndoDialog} id=${row.changeSet} about=${row} onClose=${() => setUndoing(false)} onDone=${onDone} />`
    }
  <//>`;
}
