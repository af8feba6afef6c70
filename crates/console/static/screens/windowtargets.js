// What a maintenance window covers: its machines, device groups and sites, which are added and taken out one by one.

import { call, may } from "../api.js";
import { Button, Empty, Trouble, count, html } from "../elements.js";
import { useAnswer } from "../hooks.js";
import { link } from "../route.js";

/** How many targets of a kind are listed; a window has at most as many. */
const MOST = 100;

/**
 * The targets of a window. `remove(body, message)` takes some out.
 * @param {{window: any, remove: (body: any, message: string) => void}} given
 */
export function WindowTargets({ window, remove }) {
  const { uniqueId: windowId, updatedDate } = window;
  const given = { windowId, query: { pageSize: MOST } };
  const answer = useAnswer(
    (signal) =>
      Promise.all([
        call("listMaintenanceResources", { ...given, signal }),
        call("listMaintenanceDeviceGroups", { ...given, signal }),
        call("listMaintenanceSites", { ...given, signal }),
      ]),
    `${windowId} ${updatedDate}`,
  );
  const [machines, groups, sites] = (answer.data || []).map((page) => /** @type {any[]} */ (page.results));
  const total = (answer.data || []).reduce((sum, page) => sum + page.totalResults, 0);
  const list = (title, rows, name, href, body) =>
    rows?.length > 0 &&
    html`
      <h3>${title}</h3>
      <ul class="plain-list">
        ${rows.map(
          (row) => html`<li key=${row.id}>
            <div class="session">
              ${
                name(row)
                  ? html`<a href=${href(row)}>${name(row)}</a>`
                  : html`<span class="dim">deleted (${row.id})</span>`
              }
              ${
                total > 1 &&
                may("removeMaintenanceTargets") &&
                html`<${Button}
                  aria-label=${`Remove ${name(row) || row.id} from the window`}
                  onClick=${() => remove(body(row), `${name(row) || row.id} removed.`)}
                >
                  Remove
                <//>`
              }
            </div>
          </li>`,
        )}
      </ul>
    `;
  return html`
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    ${list(
      "Machines",
      machines,
      (row) => row.hostName || row.name,
      (row) => link(["resources", row.id]),
      (row) => ({ devices: [{ uniqueId: row.id }] }),
    )}
    ${list(
      "Device groups",
      groups,
      (row) => row.name,
      (row) => link(["groups", row.uniqueId || String(row.id)]),
      (row) => ({ deviceGroups: [{ id: String(row.id) }] }),
    )}
    ${list(
      "Sites",
      sites,
      (row) => row.name,
      (row) => link(["sites", row.id]),
      (row) => ({ locations: [{ id: String(row.id) }] }),
    )}
    ${answer.data && !total && html`<${Empty} title="It covers nothing." />`}
    ${total > MOST && html`<p class="gaps">${count(total)} targets.</p>`}
  `;
}
