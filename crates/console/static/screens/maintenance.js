// Maintenance: windows, when they are open, and what to do with one.

import { call, may, quoted, terms } from "../api.js";
import { month } from "../calendar.js";
import { Button, Empty, Head, Panel, State, Time, Trouble, html } from "../elements.js";
import { Choices, Search } from "../form.js";
import { useAnswer, useList, useState } from "../hooks.js";
import { COLOURS, Lanes } from "../lanes.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";
import { midnight, wire } from "../time.js";
import { Window } from "./window.js";
import { AllFeeds } from "./windowfeeds.js";
import { NewWindow } from "./windowform.js";
import { WindowMonth } from "./windowmonth.js";

const STATES = ["Active", "Pending", "Suspended", "Completed"];
const DAYS = 14;

export default function Maintenance({ query }) {
  const [creating, setCreating] = useState(false);
  const text = query.get("name") || "";
  const state = query.get("state") || "";
  const chosen = query.get("window");
  const calendar = query.get("view") === "month";
  const offset = Math.max(-12, Math.min(12, Number.parseInt(query.get("month") || "0", 10) || 0));
  const shown = month(offset);
  const filter = terms({ name: quoted(text), state });
  const list = useList("searchMaintenanceWindows", { queryString: filter, pageSize: 50 }, {}, 60e3);
  const from = midnight(Date.now());
  const to = midnight(from, DAYS);
  const planned = (list.rows || []).filter((window) => window.state !== "Completed").slice(0, 20);
  const plan = useAnswer(
    (signal) =>
      Promise.all(
        planned.map((window) =>
          call("listMaintenanceOccurrences", {
            windowId: window.uniqueId,
            signal,
            query: { from: wire(from), to: wire(to) },
          }),
        ),
      ),
    planned.map((window) => `${window.uniqueId} ${window.updatedDate}`).join() + (list.data ? "." : ""),
  );
  const lanes =
    plan.data?.length === planned.length
      ? planned.map((window, place) => ({
          name: window.name,
          parts: plan.data[place].results.map((occurrence) => ({
            ...occurrence,
            text: window.name,
            colour: place % COLOURS,
          })),
        }))
      : [];
  const columns = [
    {
      title: "Name",
      main: true,
      class: "grow",
      cell: (row) => row.name,
      below: (row) => html`<span class="dim">${row.description}</span>`,
    },
    { title: "State", cell: (row) => html`<${State} of=${row.state} />` },
    {
      title: "When",
      keep: 2,
      cell: (row) =>
        row.current
          ? html`until <${Time} at=${row.current.end} />`
          : row.next
            ? html`<${Time} at=${row.next.start} />`
            : "",
    },
    {
      title: "Targets",
      keep: 3,
      class: "number",
      cell: (row) => row.devices.length + row.deviceGroups.length + row.locations.length,
    },
  ];
  return html`
    <${Head}
      title="Maintenance"
      actions=${
        may("createMaintenanceWindow") &&
        html`<${Button} kind="primary" onClick=${() => setCreating(true)}>New window…<//>`
      }
    />
    <div class="filters">
      <${Search}
        value=${text}
        onValue=${(value) => refine({ name: value })}
        label="Name contains"
        placeholder="Name contains…"
      />
      <${Choices} label="State" options=${STATES} value=${state} onValue=${(value) => refine({ state: value })} />
    </div>
    ${chosen && html`<${Window} key=${chosen} id=${chosen} onChange=${list.reload} />`}
    <${Panel}
      title=${calendar ? shown.name : "The next fourteen days"}
      id="lanes"
      actions=${html`
        <div class="choices" role="group" aria-label="View">
          ${[
            ["", "Lanes"],
            ["month", "Month"],
          ].map(
            ([value, title]) => html`<button
              type="button"
              aria-pressed=${(calendar ? "month" : "") === value ? "true" : "false"}
              onClick=${() => refine({ view: value, month: "" })}
            >
              ${title}
            </button>`,
          )}
        </div>
        ${
          calendar &&
          html`
            <${Button} aria-label="The month before" onClick=${() => refine({ month: String(offset - 1 || "") })}>
              ←
            <//>
            ${offset !== 0 && html`<${Button} onClick=${() => refine({ month: "" })}>Today<//>`}
            <${Button} aria-label="The month after" onClick=${() => refine({ month: String(offset + 1 || "") })}>
              →
            <//>
          `
        }
      `}
    >
      ${
        calendar
          ? html`<${WindowMonth} shown=${shown} filter=${filter} stamp=${list.asOf} />`
          : html`
              <${Trouble} problem=${plan.problem} />
              ${
                lanes.length > 0
                  ? html`<${Lanes} lanes=${lanes} from=${from} to=${to} label="When windows are open" />`
                  : plan.data && html`<${Empty} title="No window is open in these days." />`
              }
            `
      }
    <//>
    <${Rows}
      list=${list}
      columns=${withClient(columns)}
      label="Maintenance windows"
      id=${(row) => row.uniqueId}
      href=${(row) =>
        link("maintenance", {
          name: text,
          state,
          view: query.get("view") || "",
          month: query.get("month") || "",
          window: row.uniqueId,
        })}
      empty=${
        text || state
          ? html`<${Empty} title="No window matches." />`
          : html`<${Empty} title="No window is planned.">
              While a window is open, alerts of its machines page nobody.
            <//>`
      }
    />
    ${
      may("listAllMaintenanceCalendars") &&
      html`<${AllFeeds} names=${Object.fromEntries((list.rows || []).map((row) => [row.uniqueId, row.name]))} />`
    }
    ${
      creating &&
      html`<${NewWindow}
        onClose=${() => setCreating(false)}
        onDone=${(made) => {
          list.reload();
          refine({ window: made.uniqueId });
        }}
      />`
    }
  `;
}
