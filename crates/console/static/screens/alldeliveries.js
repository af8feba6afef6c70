// The deliveries of all events, newest first.

import { terms, quoted } from "../api.js";
import { Empty, Panel, State, Time, html } from "../elements.js";
import { Choices, Search } from "../form.js";
import { useList } from "../hooks.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";

const COLUMNS = [
  { title: "Created", main: true, cell: (row) => html`<${Time} at=${row.createdTime} />` },
  {
    title: "Event",
    class: "grow",
    cell: (row) => row.event?.name,
    below: (row) => row.integration?.name,
  },
  { title: "About", keep: 2, cell: (row) => `${row.entity} ${row.eventType === "NONE" ? "" : row.eventType}` },
  { title: "Status", cell: (row) => html`<${State} of=${row.status} />` },
  { title: "Answer", keep: 2, cell: (row) => row.responseStatus || "" },
  { title: "Attempts", keep: 3, class: "number", cell: (row) => row.attempts },
  { title: "Next", keep: 3, cell: (row) => html`<${Time} at=${row.nextAttemptTime} />` },
];

/** The deliveries of all events, by status and by integration. */
export function AllDeliveries({ query }) {
  const status = query.get("status") || "";
  const text = query.get("q") || "";
  const queryString = terms({ integrationName: quoted(text) });
  const list = useList("searchAllDeliveries", { status, queryString, pageSize: 50 }, {}, 10e3);
  return html`<${Panel} title="Deliveries of all events" id="all">
    <div class="filters">
      <${Search}
        value=${text}
        onValue=${(q) => refine({ q })}
        label="Integration contains"
        placeholder="Integration contains…"
      />
      <${Choices}
        label="Status"
        options=${["pending", "delivered", "failed"]}
        value=${status}
        onValue=${(value) => refine({ status: value.split(",").find((one) => one && one !== status) || "" })}
      />
    </div>
    <${Rows}
      list=${list}
      columns=${COLUMNS}
      label="Deliveries of all events"
      href=${(row) => link("deliveries", { event: `${row.integration?.id}/${row.event?.id}`, delivery: row.id })}
      empty=${html`<${Empty} title="No delivery matches." />`}
    />
  <//>`;
}
