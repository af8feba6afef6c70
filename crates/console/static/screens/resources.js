// Machines: search as you type, with the variables of the interface; actions on many at once, import and export.

import { address, call, may, quoted } from "../api.js";
import { Button, Empty, Head, count, html } from "../elements.js";
import { Choices, Search } from "../form.js";
import { useAnswer, useChosen, useEffect, useList, useState } from "../hooks.js";
import { RecordDialog } from "../recorddialog.js";
import { go, link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";
import { say } from "../toast.js";
import { BulkBar } from "./resourcebulk.js";
import { ColumnsDialog, columnsOf, keptColumns } from "./resourcecolumns.js";
import { LAYOUT } from "./resourceform.js";
import { ImportDialog } from "./resourceimport.js";

const NAMES = [
  ["name", "Name"],
  ["hostName", "Host name"],
  ["resourceName", "Resource name"],
  ["aliasName", "Alias"],
  ["dnsName", "DNS name"],
  ["tags", "Tag"],
  ["deviceLocation", "Site"],
  ["deviceGroup", "Device group"],
  ["serialNumber", "Serial number"],
];
const VARIABLES =
  "id name hostName dnsName resourceName aliasName serialNumber systemUID ipAddress state type deviceType " +
  "resourceType startCreationDate endCreationDate startUpdationDate endUpdationDate tags template agentProfile " +
  "gatewayProfile instanceId accountNumber installedIntgId agentInstalled deviceGroup serviceGroup deviceLocation " +
  "isEquals assetManagedTime firstAssetManagedTime appRoles";
const VARIABLE = new RegExp(`^(${VARIABLES.replaceAll(" ", "|")}):`, "i");
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}(\/\d{1,2})?|[0-9a-f]*:[0-9a-f:]+(\/\d{1,3})?)$/i;

/** With more columns than this the list is scrolled sideways. */
const MANY = 6;
const SCROLLED = { tabindex: "0", role: "region", "aria-label": "List of machines" };

/** What is typed, as the interface takes it: an expression stays, an address is one, all else is a part of a name. */
export function expression(text, name) {
  if (!text || VARIABLE.test(text)) return text;
  if (ADDRESS.test(text)) return `ipAddress:${text}`;
  return quoted(text) && `${name}:${quoted(text)}`;
}

/** A filter that chooses one of several records. */
const Filter = ({ label, all, value, options, name }) =>
  options.length > 0 &&
  html`<select aria-label=${label} onChange=${(event) => refine({ [name]: event.target.value })}>
    <option value="">${all}</option>
    ${options.map(
      ([id, words]) => html`<option value=${String(id)} selected=${String(id) === value}>${words}</option>`,
    )}
  </select>`;

/** The dialog of the list that is open. */
function Dialogs({ open, columns, setColumns, onClose, onDone }) {
  if (open === "columns") return html`<${ColumnsDialog} ids=${columns} onClose=${onClose} onDone=${setColumns} />`;
  if (open === "import") return html`<${ImportDialog} onClose=${onClose} onDone=${onDone} />`;
  if (open !== "new") return null;
  const created = ({ resourceUUID }) => {
    say("Created.");
    go(link(["resources", resourceUUID]));
  };
  return html`<${RecordDialog}
    title="New machine"
    operation="createResource"
    layout=${LAYOUT}
    onClose=${onClose}
    onDone=${created}
  />`;
}

export default function Resources({ query }) {
  const text = query.get("q") || "";
  const name = query.get("by") || "name";
  const state = query.get("state") || "active";
  const [type, site, group] = ["type", "site", "group"].map((filter) => query.get(filter) || "");
  const [open, setOpen] = useState("");
  const [kept, setKept] = useState(keptColumns);
  const select = useChosen();
  const choices = useAnswer(
    (signal) =>
      Promise.all([
        call("listResourceTypes", { signal }),
        call("listMinimalSites", { signal }),
        call("listMinimalDeviceGroups", { signal }),
      ]),
    "choices",
  );
  const [types = [], sites = [], groups = []] = choices.data || [];
  const filters = {
    queryString: expression(text, name),
    deviceTypeId: type,
    locationId: site,
    deviceGroupId: group,
    state: /(^|\+)\s*state:/i.test(text) ? "" : state,
  };
  const { columns: chosen, detailed } = columnsOf(kept);
  // Of whom a machine is, its details say.
  const columns = withClient(chosen);
  const list = useList("searchResources", {
    ...filters,
    sortName: "name",
    isDescendingOrder: "false",
    pageSize: 100,
    verbose: detailed || columns.length > chosen.length ? "true" : "",
  });
  const filtered = JSON.stringify(filters);
  useEffect(() => select.clear(), [filtered]);
  const title = {
    title: "Name",
    main: true,
    class: "grow",
    cell: (row) => row.name || row.hostName || row.id,
    below: (row) => row.aliasName && html`<span class="dim">${row.aliasName}</span>`,
  };
  const isOperator = may("updateResource");
  return html`
    <${Head}
      title="Machines"
      actions=${html`
        <${Button} onClick=${() => setOpen("columns")}>Columns…<//>
        <a class="button" href=${address("exportResources", { query: { ...filters, format: "csv" } })} download>
          Export CSV
        </a>
        ${may("bulkUpsertResources") && html`<${Button} onClick=${() => setOpen("import")}>Import…<//>`}
        ${may("createResource") && html`<${Button} kind="primary" onClick=${() => setOpen("new")}>New machine…<//>`}
      `}
    >
      ${
        list.total !== undefined
          ? html`<span role="status">${count(list.total)} ${list.total === 1 ? "machine" : "machines"}</span>`
          : " "
      }
    <//>
    <div class="filters">
      <select
        aria-label="Search by"
        value=${name}
        onChange=${(event) => refine({ by: event.target.value === "name" ? "" : event.target.value })}
      >
        ${NAMES.map(
          ([variable, words]) => html`<option value=${variable} selected=${variable === name}>${words}</option>`,
        )}
      </select>
      <${Search}
        value=${text}
        onValue=${(value) => refine({ q: value })}
        label="Search the inventory"
        placeholder="Name, address or tags:env"
      />
      <${Filter}
        label="Type"
        all="All types"
        name="type"
        value=${type}
        options=${types.map((one) => [one.id, one.path || one.name])}
      />
      <${Filter}
        label="Site"
        all="All sites"
        name="site"
        value=${site}
        options=${sites.map((one) => [one.id, one.name])}
      />
      <${Filter}
        label="Device group"
        all="All groups"
        name="group"
        value=${group}
        options=${groups.map((one) => [one.id, one.name])}
      />
      <${Choices}
        label="State"
        options=${["active", "inactive", "discovered"]}
        value=${state === "all" ? "" : state}
        onValue=${(value) => refine({ state: value.split(",").find((one) => one !== state) || "all" })}
      />
    </div>
    ${isOperator && html`<${BulkBar} select=${select} total=${list.total} query=${filters} onDone=${list.reload} />`}
    <div class=${columns.length > MANY ? "scroll many" : ""} ...${columns.length > MANY ? SCROLLED : {}}>
    <${Rows}
      list=${list}
      columns=${[title, ...columns]}
      label="Machines"
      also=${kept.join()}
      select=${isOperator ? select : undefined}
      href=${(row) => link(["resources", row.id])}
      empty=${
        text || type || site || group
          ? html`<${Empty} title="No machine matches.">
              Try another part of the name, or <a href=${link("resources")}>show all machines</a>.
            <//>`
          : html`<${Empty} title="No machines yet.">
              Agents report here; see <a href="/docs/">the interface</a> for imports and reports.
            <//>`
      }
    />
    </div>
    <${Dialogs}
      open=${open}
      columns=${kept}
      setColumns=${setKept}
      onClose=${() => setOpen("")}
      onDone=${list.reload}
    />
  `;
}
