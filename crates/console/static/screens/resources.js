// Inventory: search as you type, with the variables of the interface.

import { call, searchableText } from "../api.js";
import { Empty, Head, count, html } from "../elements.js";
import { Choices, SearchNotice, Search } from "../form.js";
import { useAnswer, useList } from "../hooks.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";

const NAMES = [
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
  "id hostName dnsName resourceName aliasName serialNumber systemUID ipAddress state type deviceType resourceType " +
  "startCreationDate endCreationDate startUpdationDate endUpdationDate tags template agentProfile gatewayProfile " +
  "instanceId accountNumber installedIntgId agentInstalled deviceGroup serviceGroup deviceLocation isEquals " +
  "assetManagedTime firstAssetManagedTime appRoles";
const VARIABLE = new RegExp(`^(${VARIABLES.replaceAll(" ", "|")}):`, "i");
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}(\/\d{1,2})?|[0-9a-f]*:[0-9a-f:]+(\/\d{1,3})?)$/i;

/** What is typed, as the interface takes it: an expression stays, an address is one, all else is a part of a name. */
export function expression(text, name) {
  if (!text || VARIABLE.test(text)) return text;
  if (ADDRESS.test(text)) return `ipAddress:${text}`;
  return searchableText(text) && `${name}:${searchableText(text)}`;
}

export default function Resources({ query }) {
  const text = query.get("q") || "";
  const name = query.get("by") || "hostName";
  const state = query.get("state") || "active";
  const kind = query.get("kind") || "";
  const types = useAnswer((signal) => call("listResourceTypes", { signal }), "types");
  const wanted = {
    queryString: expression(text, name),
    deviceTypeId: kind,
    sortName: "name",
    isDescendingOrder: "false",
    pageSize: 100,
  };
  if (!/(^|\+)\s*state:/i.test(text)) wanted.state = state;
  const list = useList("searchResources", wanted);
  const columns = [
    {
      title: "Name",
      main: true,
      class: "grow",
      cell: (row) => row.name || row.hostName || row.id,
      below: (row) => row.aliasName && html`<span class="dim">${row.aliasName}</span>`,
    },
    { title: "Host name", keep: 3, cell: (row) => row.hostName },
    { title: "Address", class: "mono", cell: (row) => row.ipAddress },
    { title: "Kind", keep: 2, cell: (row) => row.resourceType },
  ];
  return html`
    <${Head} title="Inventory">
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
        onChange=${(event) => refine({ by: event.target.value === "hostName" ? "" : event.target.value })}
      >
        ${NAMES.map(
          ([variable, title]) => html`<option value=${variable} selected=${variable === name}>${title}</option>`,
        )}
      </select>
      <${Search}
        value=${text}
        onValue=${(value) => refine({ q: value })}
        label="Search the inventory"
        placeholder="Name, address or hostName:web+tags:env"
      />
      <select aria-label="Kind" onChange=${(event) => refine({ kind: event.target.value })}>
        <option value="">All kinds</option>
        ${(types.data || []).map(
          (type) => html`<option value=${String(type.id)} selected=${String(type.id) === kind}>
            ${type.path || type.name}
          </option>`,
        )}
      </select>
      <${Choices}
        label="State"
        options=${["active", "inactive", "discovered"]}
        value=${state === "all" ? "" : state}
        onValue=${(value) => refine({ state: value.split(",").find((one) => one !== state) || "all" })}
      />
      ${!VARIABLE.test(text) && html`<${SearchNotice} text=${text} />`}
    </div>
    <${Rows}
      list=${list}
      columns=${columns}
      label="Machines"
      href=${(row) => link(["resources", row.id])}
      empty=${
        text || kind
          ? html`<${Empty} title="No machine matches.">
              Try another part of the name, or <a href=${link("resources")}>show all machines</a>.
            <//>`
          : html`<${Empty} title="No machines yet.">
              Agents report here; see <a href="/docs/">the interface</a> for imports and reports.
            <//>`
      }
    />
  `;
}
