// Runs: the history of all jobs.

import { quoted, terms } from "../api.js";
import { Empty, Head, State, Time, html } from "../elements.js";
import { Choices, Search } from "../form.js";
import { useList } from "../hooks.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";
import { span } from "../time.js";
import { Run, duration } from "./run.js";

const STATUSES = ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "CANCELLED", "SKIPPED", "MISSED"];
const TRIGGERS = ["schedule", "manual"];

const COLUMNS = [
  {
    title: "Job",
    main: true,
    class: "grow",
    cell: (row) => row.job.name || row.job.id,
    below: (row) => html`
      <span class="only-narrow"><${Time} at=${row.dueDate} />${row.reason && " · "}</span>
      <span class="dim">${row.reason}</span>
    `,
  },
  { title: "Due", keep: 2, cell: (row) => html`<${Time} at=${row.dueDate} />` },
  { title: "Status", cell: (row) => html`<${State} of=${row.status} />` },
  { title: "Trigger", keep: 3, cell: (row) => row.trigger },
  { title: "Runner", keep: 3, cell: (row) => row.runner?.name },
  {
    title: "Duration",
    keep: 2,
    class: "number",
    cell: (row) => (duration(row) === undefined ? "" : span(duration(row))),
  },
];

export default function Runs({ query }) {
  const job = query.get("job") || "";
  const status = query.get("status") || "";
  const trigger = query.get("trigger") || "";
  const run = query.get("run");
  const list = useList(
    "searchJobRuns",
    { queryString: terms({ jobName: quoted(job), status, trigger }), pageSize: 100 },
    {},
    10e3,
  );
  return html`
    <${Head} title="Runs" />
    <div class="filters">
      <${Search}
        value=${job}
        onValue=${(text) => refine({ job: text })}
        label="Name of the job contains"
        placeholder="Name of the job contains…"
      />
      <${Choices} label="Status" options=${STATUSES} value=${status} onValue=${(value) => refine({ status: value })} />
      <${Choices}
        label="Trigger"
        options=${TRIGGERS}
        value=${trigger}
        onValue=${(value) => refine({ trigger: value })}
      />
    </div>
    ${run && html`<${Run} key=${run} id=${run} onChange=${list.reload} named />`}
    <${Rows}
      list=${list}
      columns=${withClient(COLUMNS)}
      label="Runs"
      href=${(row) => link("runs", { job, status, trigger, run: row.id })}
      empty=${html`<${Empty} title=${job || status || trigger ? "No run matches." : "No runs yet."} />`}
    />
  `;
}
