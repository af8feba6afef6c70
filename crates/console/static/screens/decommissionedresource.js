// A decommissioned machine as it was.

import { call } from "../api.js";
import { labelOf, wordsOf } from "../bodyschema.js";
import { Badge, Time, html } from "../elements.js";
import { RecordPage } from "../records.js";
import { link } from "../route.js";

const SHOWN = [
  ["hostName", "Host name"],
  ["dns", "DNS"],
  ["aliasName", "Alias"],
  ["resourceName", "Resource name"],
  ["ipAddress", "Address"],
  ["macAddress", "MAC address"],
  ["devicePath", "Resource type"],
  ["type", "Type"],
  ["osName", "Operating system"],
  ["osArchitecture", "Architecture"],
  ["make", "Make"],
  ["model", "Model"],
  ["serialNumber", "Serial number"],
  ["systemUID", "System UID"],
  ["description", "Description"],
];

export default function DecommissionedResource({ id }) {
  return html`<${RecordPage}
    back=${["Decommissioned machines", link("decommissioned")]}
    of=${`decommissioned ${id}`}
    read=${() => call("getDecommissionedResource", { resourceId: id })}
    name=${(machine) => machine.name || machine.hostName || machine.id}
    sub=${() => html`<${Badge} kind="quiet">decommissioned<//>`}
    facts=${(machine) => [
      ["Decommissioned", html`<${Time} at=${machine.updatedDate} />`],
      ["Reason", machine.history?.decommissionReason],
      ...SHOWN.map(([name, label]) => [label, machine[name]]),
      ["Agent", machine.agentInstalled && "was installed"],
      [
        "Tags",
        machine.tags?.length &&
          machine.tags.map(
            (tag) => html`<span class="badge quiet">${tag.name}${tag.value && `: ${tag.value}`}</span> `,
          ),
      ],
      ...Object.entries(machine.attributes || {}).map(([name, value]) => [labelOf(name), wordsOf(value)]),
      ["Id", html`<span class="mono small">${machine.id}</span>`],
    ]}
    actions=${() => []}
  />`;
}
