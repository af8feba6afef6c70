// When a person is away.

import { call, may, readAll, session } from "./api.js";
import { Button, Empty, Loading, Panel, Time, Trouble, html } from "./elements.js";
import { useAnswer, useState } from "./hooks.js";
import { RecordActions } from "./recordactions.js";
import { deleteAction, editAction } from "./records.js";
import { full, millis, wire } from "./time.js";

/** How many entries are shown at first. */
const FEW = 5;

const LAYOUT = { order: ["from", "to", "reason"], labels: { to: "Until" } };

/**
 * The fields that are compared before an entry is deleted.
 * @type {[string, string, (one: any) => any][]}
 */
const FIELDS = [
  ["from", "From", (one) => full(millis(one.from))],
  ["to", "Until", (one) => full(millis(one.to))],
  ["reason", "Reason", (one) => one.reason],
];

/** The time off of a person that is not over. @param {{user: any, own?: boolean}} given */
export function TimeOff({ user, own = false }) {
  const path = { tenantId: own ? session.home : session.tenant, userId: user.id };
  const [all, setAll] = useState(false);
  const answer = useAnswer(
    (signal) => readAll("searchTimeOff", { ...path, signal, query: { from: wire(Date.now()) } }),
    `${path.tenantId} ${user.id}`,
  );
  // Everybody writes their own; that of others who may change rosters.
  const mayWrite = own || may("createRosterOverride");
  const list = answer.data || [];
  const actions = (one) => {
    const of = { ...path, timeOffId: one.id };
    const again = { reload: answer.reload, gone: answer.reload, read: () => call("getTimeOff", of) };
    const what = "time off";
    return [
      editAction(one, again, { operation: /** @type {const} */ ("updateTimeOff"), path: of, what, layout: LAYOUT }),
      deleteAction(one, again, { operation: /** @type {const} */ ("deleteTimeOff"), path: of, what, fields: FIELDS }),
    ];
  };
  return html`<${Panel}
    title=${own ? "My time off" : "Time off"}
    id="away"
    actions=${
      mayWrite &&
      html`<${RecordActions}
        actions=${[
          {
            label: "Add time off…",
            title: "Add time off",
            operation: /** @type {const} */ ("createTimeOff"),
            path,
            form: true,
            send: "Add",
            layout: LAYOUT,
            message: "Added.",
          },
        ]}
        onDone=${answer.reload}
      />`
    }
  >
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    ${!answer.data && !answer.problem && html`<${Loading} />`}
    ${answer.data && !list.length && html`<${Empty} title="No time off is entered." />`}
    <ul class="plain-list">
      ${(all ? list : list.slice(0, FEW)).map(
        (one) => html`<li key=${one.id} class="session">
          <div>
            <${Time} at=${one.from} /> to <${Time} at=${one.to} />
            ${one.reason && html`<div class="small dim">${one.reason}</div>`}
          </div>
          ${
            mayWrite &&
            html`<div class="actions">
              <${RecordActions}
                actions=${actions(one)}
                onDone=${answer.reload}
                of=${`time off from ${full(millis(one.from))}`}
              />
            </div>`
          }
        </li>`,
      )}
    </ul>
    ${
      list.length > FEW &&
      html`<${Button} onClick=${() => setAll(!all)}>${all ? "Show fewer" : `Show all ${list.length}`}<//>`
    }
  <//>`;
}
