// One machine: what it is, what runs on it, when it is worked on, what was reported of it, and who is on call.

import { call, may, terms } from "../api.js";
import { Empty, Facts, Head, Loading, Panel, State, Time, Trouble, count, html, some } from "../elements.js";
import { Search } from "../form.js";
import { useAnswer, useList, useState } from "../hooks.js";
import { OnCallNow, Responders, useNames } from "../responders.js";
import { link } from "../route.js";
import { Rows } from "../table.js";

function Software({ id }) {
  const [text, set] = useState("");
  const all = useAnswer((signal) => call("listApplications", { resourceId: id, signal }), id);
  const found = (all.data || []).filter((row) =>
    `${row.name} ${row.vendor} ${row.version}`.toLowerCase().includes(text.toLowerCase()),
  );
  return html`<${Panel} title=${`Software${all.data ? ` (${count(all.data.length)})` : ""}`} id="software">
    <${Trouble} problem=${all.problem} />
    ${all.data && !all.data.length && html`<${Empty} title="None was reported." />`}
    ${
      all.data?.length > 12 &&
      html`<${Search} value=${text} onValue=${set} label="Search the software" placeholder="Search…" />`
    }
    ${
      all.data?.length > 0 &&
      html`<div class="scroll tall" tabindex="0" role="region" aria-label="Software">
        <table class="plain">
          <thead><tr><th scope="col">Name</th><th scope="col">Version</th><th scope="col">Vendor</th></tr></thead>
          <tbody>
            ${found
              .slice(0, 500)
              .map(
                (row) => html`<tr><td>${row.name}</td><td class="mono">${row.version}</td><td>${row.vendor}</td></tr>`,
              )}
          </tbody>
        </table>
      </div>`
    }
  <//>`;
}

function Antivirus({ id }) {
  const found = useAnswer(
    (signal) => call("searchAntivirus", { signal, query: { queryString: terms({ resourceId: id }), pageSize: 100 } }),
    id,
  );
  return html`<${Panel} title="Antivirus" id="antivirus">
    <${Trouble} problem=${found.problem} />
    ${found.data && !found.data.results.length && html`<${Empty} title="None was reported." />`}
    <ul class="plain-list">
      ${(found.data?.results || []).map(
        (one) => html`<li>
          <${State} of=${one.status} /> <strong>${one.name}</strong> ${one.version}
          <div class="small dim">
            ${
              one.currentDefinition &&
              html`
                definitions <span class="mono">${one.currentDefinition}</span>
                ${one.currentDefinitionDate && html` of <${Time} at=${one.currentDefinitionDate} />`},${" "}
              `
            }looked
            at <${Time} at=${one.scanDate} ago=${true} />
            ${!one.supported && ", the agent cannot tell whether they are current"}
          </div>
        </li>`,
      )}
    </ul>
  <//>`;
}

function Groups({ id }) {
  const found = useAnswer((signal) => call("listResourceGroups", { resourceId: id, signal }), id);
  return html`<${Panel} title="Groups" id="groups">
    <${Trouble} problem=${found.problem} />
    ${
      found.data &&
      (found.data.length
        ? html`<ul class="plain-list">
            ${found.data.map(
              (one) => html`<li>
                <a href=${link("resources", {
                  q: `${one.type === "DEVICE_GROUP" ? "deviceGroup" : "serviceGroup"}:${one.uniqueId}`,
                })}>
                  ${one.name}
                </a>${" "}
                <span class="small dim">
                  ${one.type === "SERVICE_GROUP" && "a service, "}
                  ${one.byRule ? "by its rules" : "by hand"}
                </span>
              </li>`,
            )}
          </ul>`
        : html`<${Empty} title="No groups." />`)
    }
  <//>`;
}

function Alerts({ id }) {
  const list = useList("searchAlerts", { queryString: terms({ resourceId: id }), pageSize: 20 });
  const columns = [
    { title: "State", cell: (row) => html`<${State} of=${row.currentState} />` },
    { title: "Subject", main: true, class: "grow", cell: (row) => row.subject },
    { title: "Status", cell: (row) => html`<${State} of=${row.status} />` },
    { title: "Reported", keep: 2, cell: (row) => html`<${Time} at=${row.alertTime} ago=${true} />` },
  ];
  return html`<${Panel} title="Alerts" id="alerts">
    <${Rows}
      list=${list}
      columns=${columns}
      label="Alerts of this machine"
      href=${(row) => link(["alerts", row.id])}
      empty=${html`<${Empty} title="Nothing was reported." />`}
    />
  <//>`;
}

function Windows({ id }) {
  const now = useAnswer((signal) => call("listActiveMaintenance", { signal, query: { resourceId: id } }), `now ${id}`);
  const all = useAnswer(
    (signal) => call("searchMaintenanceWindows", { signal, query: { resourceId: id, pageSize: 20 } }),
    `all ${id}`,
  );
  return html`<${Panel} title="Maintenance" id="windows">
    <${Trouble} problem=${now.problem || all.problem} />
    ${
      now.data?.results.length > 0 &&
      html`<p class="note">In maintenance now, until <${Time} at=${now.data.results[0].until} />.</p>`
    }
    ${
      all.data &&
      (all.data.results.length
        ? html`<ul class="plain-list">
            ${all.data.results.map(
              (window) => html`<li>
                <${State} of=${window.state} />${" "}
                <a href=${link("maintenance", { window: window.uniqueId })}>${window.name}</a>${" "}
                <span class="dim small">
                  ${
                    window.current
                      ? html`until <${Time} at=${window.current.end} />`
                      : window.next
                        ? html`next <${Time} at=${window.next.start} />`
                        : ""
                  }
                </span>
              </li>`,
            )}
          </ul>`
        : html`<${Empty} title="No window covers it." />`)
    }
  <//>`;
}

function History({ id }) {
  const audit = useAnswer(
    (signal) => call("searchAuditLog", { signal, query: { queryString: terms({ entityId: id }), pageSize: 20 } }),
    id,
  );
  return html`<${Panel} title="History" id="history">
    <${Trouble} problem=${audit.problem} />
    ${
      audit.data &&
      (audit.data.results.length
        ? html`<ul class="plain-list">
            ${audit.data.results.map(
              (row) => html`<li class="small">
                <${Time} at=${row.time} /> ${row.action}${" "}
                <span class="dim">
                  ${Object.keys(row.changes || {})
                    .slice(0, 8)
                    .join(", ")}
                </span>
              </li>`,
            )}
          </ul>`
        : html`<${Empty} title="No changes recorded." />`)
    }
  <//>`;
}

export default function Resource({ id }) {
  const answer = useAnswer((signal) => call("getResource", { resourceId: id, signal }), id);
  const names = useNames();
  const machine = answer.data;
  const back = ["Inventory", link("resources")];
  if (!machine)
    return html`
      <${Head} title=${answer.problem ? "Machine" : "…"} back=${back} />
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />` : html`<${Loading} />`}
    `;
  /** @type {Partial<NonNullable<Answer<"getResource">["generalInfo"]>>} */
  const info = machine.generalInfo || {};
  const cloud = Object.entries(machine.properties || {}).filter(([, value]) => value !== "");
  const cards = machine.networkCardDetails || [];
  return html`
    <${Head} title=${info.name || machine.name || machine.resourceName || info.hostName || machine.id} back=${back}>
      <${State} of=${machine.status || machine.state} /> ${info.resourceType || machine.resourceType || machine.type}
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
            ["Site", machine.location?.name],
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
        ${may("searchAuditLog") && html`<${History} id=${id} />`}
      </div>
    </div>
  `;
}
