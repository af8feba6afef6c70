// One machine: what it is, what runs on it, when it is worked on, what was reported of it, and who is on call.

import { call, may, tag } from "../api.js";
import { Button, Facts, Head, Loading, Panel, State, Time, Trouble, html, some } from "../elements.js";
import { useAnswer, useState } from "../hooks.js";
import { RecordActions } from "../recordactions.js";
import { RecordDialog } from "../recorddialog.js";
import { deleteAction } from "../records.js";
import { OnCallNow, Responders, useNames } from "../responders.js";
import { go, link } from "../route.js";
import { attempt, say } from "../toast.js";
import { LAYOUT, readForEdit } from "./resourceform.js";
import { Alerts, Antivirus, Groups, History, Software, Windows } from "./resourcepanels.js";

/** The buttons of a machine, and the dialogs that they open. */
function Actions({ machine, name, read, reload }) {
  const [edited, setEdited] = useState(/** @type {any} */ (undefined));
  const path = { resourceId: machine.id };
  const isDevice = machine.type === "DEVICE";
  const managed = machine.state === "active";
  const what = `machine “${name}”`;
  const edit = async () => setEdited(await attempt("", () => readForEdit(machine.id)));
  return html`
    ${may("updateResource") && html`<${Button} onClick=${edit}>Edit…<//>`}
    <${RecordActions}
      onDone=${reload}
      actions=${[
        {
          label: "Manage",
          operation: /** @type {const} */ ("manageDevice"),
          path,
          when: isDevice && !managed,
          message: "Managed.",
        },
        {
          label: "Unmanage…",
          title: `Unmanage ${what}`,
          operation: /** @type {const} */ ("unmanageDevice"),
          path,
          when: isDevice && managed,
          question: "Its state becomes inactive. It stays in the inventory, and can be managed again.",
          message: "Unmanaged.",
        },
        {
          label: "Decommission…",
          title: `Decommission ${what}`,
          operation: /** @type {const} */ ("decommissionResource"),
          path,
          match: tag(machine),
          form: true,
          danger: true,
          send: "Decommission",
          question:
            "It leaves the lists, its groups and its software, and moves to the decommissioned machines. " +
            "When it reports again, it becomes a new machine. An admin can undo it in the audit log.",
          message: "Decommissioned.",
          done: () => go(link(["decommissioned", machine.id])),
        },
        deleteAction(
          machine,
          { read, gone: () => go(link("resources")) },
          {
            operation: "deleteResource",
            path,
            what,
            question: "It moves to the decommissioned machines, without a reason.",
            fields: [
              ["state", "State", (one) => one.state],
              ["site", "Site", (one) => one.location?.name],
            ],
          },
        ),
      ]}
    />
    ${
      edited &&
      html`<${RecordDialog}
        title=${`Edit ${what}`}
        operation="updateResource"
        path=${path}
        record=${edited}
        read=${() => readForEdit(machine.id)}
        layout=${LAYOUT}
        onClose=${() => setEdited(undefined)}
        onDone=${() => {
          say("Saved.");
          reload();
        }}
      />`
    }
  `;
}

export default function Resource({ id }) {
  const answer = useAnswer((signal) => call("getResource", { resourceId: id, signal }), id);
  const names = useNames();
  const machine = answer.data;
  const back = ["Machines", link("resources")];
  if (!machine)
    return html`
      <${Head} title=${answer.problem ? "Machine" : "…"} back=${back} />
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />` : html`<${Loading} />`}
      ${
        answer.problem?.status === 404 &&
        html`<p>
          It may have been decommissioned:${" "}
          <a href=${link(["decommissioned", id])}>look among the decommissioned machines</a>.
        </p>`
      }
    `;
  /** @type {Partial<NonNullable<Answer<"getResource">["generalInfo"]>>} */
  const info = machine.generalInfo || {};
  const cloud = Object.entries(machine.properties || {}).filter(([, value]) => value !== "");
  const site = machine.location;
  const cards = machine.networkCardDetails || [];
  const name = info.name || machine.name || machine.resourceName || info.hostName || machine.id;
  const read = () => call("getResource", { resourceId: id });
  return html`
    <${Head}
      title=${name}
      back=${back}
      actions=${html`<${Actions} machine=${machine} name=${name} read=${read} reload=${answer.reload} />`}
    >
      ${(machine.status || machine.state) && html`<${State} of=${machine.status || machine.state} />${" "}`}
      ${info.resourceType || machine.resourceType || machine.type}
      ${machine.ipAddress && html` · <span class="mono">${machine.ipAddress}</span>`}
    <//>
    <div class="columns wide-left">
      <div>
        <${Alerts} id=${id} />
        <${Panel} title="Details" id="facts">
          <${Facts} of=${[
            ["Host name", info.hostName],
            ["DNS", info.dns],
            ["Alias", info.aliasName],
            ["Operating system", info.osName],
            ["Make", info.make],
            ["Model", machine.bios?.systemModel],
            [
              "Serial number",
              machine.bios?.systemSerial && html`<span class="mono">${machine.bios.systemSerial}</span>`,
            ],
            ["Memory", info.physicalMemory],
            [
              "Processors",
              some(machine.cpus)
                ?.map((cpu) => `${cpu.name}${cpu.cores ? `, ${cpu.cores} cores` : ""}`)
                .join("; "),
            ],
            ["Site", site && html`<a href=${link(["sites", site.id])}>${site.name}</a>`],
            ["Source", machine.source],
            ["Agent", machine.agentInstalled ? "installed" : ""],
            ["State", machine.state],
            ["Description", info.description],
            ["Checked", machine.url || machine.host],
            ["Check", machine.checkType],
            [
              "Roles",
              some(machine.appRoles)
                ?.map((role) => role.name)
                .join(", "),
            ],
            [
              "Tags",
              some(machine.tags)?.map(
                (tag) => html`
                  <a class="badge quiet" href=${link("resources", { q: tag.name, by: "tags" })}>
                    ${tag.name}
                    ${tag.value && `: ${tag.value}`}
                  </a>${" "}
                `,
              ),
            ],
            ["Created", info.createdTime && html`<${Time} at=${info.createdTime} />`],
            ["Changed", info.updatedTime && html`<${Time} at=${info.updatedTime} />`],
            ["Id", html`<span class="mono small">${machine.id}</span>`],
          ]} />
        <//>
        <${Software} id=${id} />
      </div>
      <div>
        <${Responders} id=${id} names=${names} why=${link("routing", { host: info.hostName || info.name || "" })} />
        <${OnCallNow} />
        <${Windows} id=${id} />
        <${Groups} id=${id} />
        <${Antivirus} id=${id} />
        ${
          cards.length > 0 &&
          html`<${Panel} title="Network" id="network">
            <ul class="plain-list">
              ${cards.map(
                (card) => html`<li>
                  <${State} of=${card.status} /> <strong>${card.networkName}</strong>${" "}
                  <span class="mono">${card.ipAddress}</span>
                  <div class="small dim mono">${card.macAddress} ${card.aliasIps}</div>
                </li>`,
              )}
            </ul>
          <//>`
        }
        ${
          cloud.length > 0 &&
          html`<${Panel} title="Cloud" id="cloud">
            <${Facts} of=${cloud.map(([name, value]) => [name, String(value)])} />
          <//>`
        }
        ${
          some(machine.components) &&
          html`<${Panel} title="Components" id="components">
            <ul class="plain-list">${machine.components?.map((part) => html`<li>${part}</li>`)}</ul>
          <//>`
        }
        ${may("searchAuditLog") && html`<${History} id=${id} version=${tag(machine)} />`}
      </div>
    </div>
  `;
}
