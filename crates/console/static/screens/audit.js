// Audit: who changed what, before and after, and the change sets, which can be undone.

import { call, terms } from "../api.js";
import { ExportDialog } from "../csvexport.js";
import { Button, Empty, Head, State, Time, html } from "../elements.js";
import { Choices, Search, Since } from "../form.js";
import { useList, useState } from "../hooks.js";
import { actorOf, nameOf, readNames, useRecordNames } from "../recordnames.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";
import { Changes, valueWords } from "./auditchanges.js";
import { ChangeSets } from "./changesets.js";

const ACTIONS = ["CREATE", "UPDATE", "DELETE"];
const VARIABLE = /^(userId|keyId|entity|entityId|requestId):/;

/** What is typed: an expression, an id, or a kind of thing. */
function expression(text) {
  if (!text || VARIABLE.test(text)) return text;
  if (/^USR\d/.test(text)) return `userId:${text}`;
  return /^[A-Z][A-Za-z]+$/.test(text) ? `entity:${text}` : `entityId:${text}`;
}

/** The name of a type, which may be broken between its words. */
const wordBreaks = (type) =>
  type.split(/(?<=[a-z])(?=[A-Z])/).map((word, at) => html`${at > 0 && html`<wbr />`}${word}`);

/** What differs, a field a line. */
const changeWords = (row) =>
  Object.entries(row.changes || {})
    .map(([field, { before, after }]) => `${field}: ${valueWords(before)} → ${valueWords(after)}`)
    .join("\n");

/** The columns of an export. @type {[string, (row: any) => any][]} */
const EXPORTED = [
  ["Time", (row) => row.time],
  ["Action", (row) => row.action],
  ["Type", (row) => row.entity],
  ["Name", (row) => nameOf(row.entity, row.entityId)],
  ["Id", (row) => row.entityId],
  ["By", actorOf],
  ["User", (row) => row.userId],
  ["Key", (row) => row.keyId],
  ["Tenant", (row) => row.tenantId],
  ["Request", (row) => row.requestId],
  ["Change set", (row) => row.changeSet],
  ["Changes", changeWords],
];

/** A page of an export, with the names that its rows need. */
async function readPage(queryString, cursor, signal) {
  const page = await call("searchAuditLog", { signal, query: { queryString, pageSize: 1000, cursor } });
  await readNames(page.results, { signal });
  return page;
}

export default function Audit({ query }) {
  const isSets = query.get("view") === "sets";
  const [exporting, setExporting] = useState(false);
  return html`
    <${Head}
      title="Audit"
      actions=${html`
        <a class="button" href=${link("audit", isSets ? {} : { view: "sets" })}>
          ${isSets ? "All changes" : "Change sets"}
        </a>
        ${!isSets && html`<${Button} onClick=${() => setExporting(true)}>Export CSV…<//>`}
      `}
    />
    ${
      isSets
        ? html`<${ChangeSets} query=${query} />`
        : html`<${Changelog} query=${query} exporting=${exporting} onExported=${() => setExporting(false)} />`
    }
  `;
}

/** All changes, one a row. */
function Changelog({ query, exporting, onExported }) {
  const [text, action, since] = ["q", "action", "since"].map((name) => query.get(name) || "");
  const queryString = [expression(text), terms({ action, startDate: since })].filter(Boolean).join("+");
  const list = useList("searchAuditLog", { queryString, pageSize: 100 });
  const names = useRecordNames(list.rows);
  const chosen = (list.rows || []).find((row) => row.id === query.get("row"));
  const columns = [
    {
      title: "Time",
      main: true,
      cell: (row) => html`<${Time} at=${row.time} />`,
      below: (row) => html`<span class="only-narrow">
        ${[nameOf(row.entity, row.entityId), actorOf(row)].filter(Boolean).join(" · ")}
      </span>`,
    },
    { title: "Action", cell: (row) => html`<${State} of=${row.action} />` },
    { title: "Type", cell: (row) => wordBreaks(row.entity) },
    {
      title: "Name",
      keep: 2,
      class: "grow",
      cell: (row) => nameOf(row.entity, row.entityId) || html`<span class="mono small dim">${row.entityId}</span>`,
    },
    { title: "By", keep: 2, cell: (row) => actorOf(row) },
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
      <${Since} value=${since} onValue=${(value) => refine({ since: value })} />
    </div>
    ${chosen && html`<${Changes} key=${chosen.id} row=${chosen} onDone=${list.reload} />`}
    <${Rows}
      list=${list}
      columns=${withClient(columns)}
      also=${names}
      label="Changes"
      href=${(row) => link("audit", { q: text, action, since, row: row.id })}
      empty=${html`<${Empty} title="No change matches." />`}
    />
    ${
      exporting &&
      html`<${ExportDialog}
        title="Export the audit log"
        file=${`audit-${new Date().toISOString().slice(0, 10)}.csv`}
        columns=${EXPORTED}
        read=${(cursor, signal) => readPage(queryString, cursor, signal)}
        onClose=${onExported}
      />`
    }
  `;
}
