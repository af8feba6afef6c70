// Panels of a machine: what runs on it, its groups and alerts, when it is worked on, and what was changed.

import { call, terms } from "../api.js";
import { Empty, Panel, State, Time, Trouble, count, html, stateName } from "../elements.js";
import { Search } from "../form.js";
import { useAnswer, useList, useState } from "../hooks.js";
import { link } from "../route.js";
import { Rows } from "../table.js";

export function Software({ id }) {
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

export function Antivirus({ id }) {
  const found = useAnswer(
    (signal) => call("searchAntivirus", { signal, query: { queryString: terms({ resourceId: id }), pageSize: 100 } }),
    id,
  );
  if (!found.problem && !found.data?.results.length) return null;
  return html`<${Panel} title="Antivirus" id="antivirus">
    <${Trouble} problem=${found.problem} />
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

export function Groups({ id }) {
  const found = useAnswer((signal) => call("listResourceGroups", { resourceId: id, signal }), id);
  return html`<${Panel} title="Groups" id="groups">
    <${Trouble} problem=${found.problem} />
    ${
      found.data &&
      (found.data.length
        ? html`<ul class="plain-list">
            ${found.data.map(
              (one) => html`<li>
                <a href=${link(["groups", one.uniqueId])}>${one.name}</a>${" "}
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

export function Alerts({ id }) {
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

export function Windows({ id }) {
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

export function History({ id, version }) {
  const audit = useAnswer(
    (signal) => call("searchAuditLog", { signal, query: { queryString: terms({ entityId: id }), pageSize: 20 } }),
    `${id} ${version}`,
  );
  return html`<${Panel}
    title="History"
    id="history"
    actions=${html`<a href=${link("audit", { q: id })}>All changes</a>`}
  >
    <${Trouble} problem=${audit.problem} />
    ${
      audit.data &&
      (audit.data.results.length
        ? html`<ul class="plain-list">
            ${audit.data.results.map(
              (row) => html`<li class="small">
                <${Time} at=${row.time} /> ${stateName(row.action)}${" "}
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
