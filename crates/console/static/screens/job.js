// One job: its schedule, its runs and their output.

import { call, may } from "../api.js";
import { BarChart } from "../barchart.js";
import { useVersionedAction } from "../conflict.js";
import {
  Button,
  Empty,
  Facts,
  Head,
  Loading,
  Panel,
  State,
  Time,
  Trouble,
  count,
  html,
  personName,
  some,
} from "../elements.js";
import { useAnswer, useList, useState } from "../hooks.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { millis, span } from "../time.js";
import { ChangeJob, fieldsOf, useRunAction } from "./jobform.js";

const OPEN = new Set(["QUEUED", "RUNNING"]);

/**
 * The fields of a run that are compared before it is stopped. More output is not a conflict.
 * @type {[string, string, (run: any) => any][]}
 */
const RUN_FIELDS = [
  ["status", "Status", (run) => run.status],
  ["runner", "Runner", (run) => run.runner?.name],
  ["attempt", "Attempt", (run) => run.attempt],
  ["exitCode", "Exit code", (run) => run.exitCode],
];

const duration = (run) =>
  run.startedDate && run.finishedDate ? millis(run.finishedDate) - millis(run.startedDate) : undefined;

/** How long the last runs took, one bar each. */
function Durations({ runs }) {
  const known = runs
    .filter((run) => duration(run) !== undefined)
    .slice(0, 40)
    .reverse();
  if (known.length < 2) return null;
  const bars = known.map((run) => ({
    value: duration(run),
    kind: run.status === "SUCCEEDED" ? "good" : "bad",
    title: `${run.status}, ${span(duration(run))}`,
  }));
  return html`<${BarChart}
    bars=${bars}
    label=${`The last ${known.length} runs took at most ${span(Math.max(...known.map(duration)))}`}
  />`;
}

function Run({ id, onChange }) {
  const answer = useAnswer((signal) => call("getJobRun", { runId: id, signal }), id, 2000);
  const run = answer.data;
  const done = (now) => {
    // What it wrote is not in the answer.
    answer.renew(now && { ...run, ...now });
    onChange();
  };
  const guard = useVersionedAction({ fields: RUN_FIELDS, read: () => call("getJobRun", { runId: id }), onDone: done });
  if (!run)
    return html`<${Panel} title="Run" id="run">
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} />` : html`<${Loading} />`}
    <//>`;
  const cancel = () =>
    guard.act({
      label: "Stop run",
      message: "Run stopped.",
      found: run,
      lateMessage: (now) => (OPEN.has(now.status) ? "" : "The run has ended"),
      work: (match) => call("cancelJobRun", { runId: id, match, body: {} }),
    });
  return html`<${Panel}
    title="Run"
    id="run"
    actions=${html`
      ${OPEN.has(run.status) && may("cancelJobRun") && html`<${Button} kind="danger" onClick=${cancel}>Stop run<//>`}
      <button type="button" class="link" onClick=${() => refine({ run: "" })}>Close</button>
    `}
  >
    <p><${State} of=${run.status} /> ${run.reason}</p>
    <${Facts} of=${[
      ["Due", html`<${Time} at=${run.dueDate} />`],
      ["Started", run.startedDate && html`<${Time} at=${run.startedDate} />`],
      ["Duration", duration(run) !== undefined && span(duration(run))],
      ["Exit code", run.exitCode === undefined ? "" : String(run.exitCode)],
      ["Runner", run.runner?.name],
      ["Attempt", run.attempt],
    ]} />
    ${
      some(run.maintenance) &&
      html`<p class="note">
        In maintenance when it was due: ${run.maintenance?.map((window) => window.name).join(", ")}
      </p>`
    }
    <pre class="output" tabindex="0" aria-label="Output">${run.output || "No output."}</pre>
    ${run.outputTruncated && html`<p class="dim">Output truncated: ${count(run.outputBytes)} bytes are kept.</p>`}
    ${guard.conflict}
  <//>`;
}

/** How many machines are named; of more, how many there are. */
const MOST = 50;

/** The name of a machine; a deleted one has its id. */
async function loadMachine(id, signal) {
  const found = await call("getResource", { resourceId: id, signal }).catch(() => undefined);
  const { hostName, ...info } = /** @type {any} */ (found?.generalInfo || { name: found?.resourceName || found?.name });
  return { id, hostName, name: info.name || hostName || id };
}

export default function Job({ id, query }) {
  const answer = useAnswer((signal) => call("getJob", { jobId: id, signal }), id);
  const next = useAnswer((signal) => call("listNextJobRuns", { jobId: id, signal, query: { count: 5 } }), id);
  const runs = useList("listJobRuns", { pageSize: 50 }, { jobId: id }, 5000);
  const job = answer.data;
  const ids = (job?.resources || []).map((one) => one.id);
  const machines = useAnswer(
    (signal) => Promise.all(ids.slice(0, MOST).map((one) => loadMachine(one, signal))),
    ids.join(),
  );
  const [editing, setEditing] = useState(false);
  const fresh = (now) => {
    answer.renew(now);
    next.reload();
  };
  const { run, conflict } = useRunAction(() => {
    answer.reload();
    runs.reload();
  });
  const guard = useVersionedAction({
    fields: job ? fieldsOf(job) : [],
    read: () => call("getJob", { jobId: id }),
    onDone: fresh,
  });
  const back = ["Jobs", link("jobs")];
  if (!job)
    return html`
      <${Head} title=${answer.problem ? "Job" : "…"} back=${back} />
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />` : html`<${Loading} />`}
    `;
  const toggleActive = () => {
    const active = !job.active;
    return guard.act({
      label: active ? "Resume" : "Pause",
      message: active ? "Resumed." : "Paused.",
      found: job,
      work: (match) => call("updateJob", { jobId: id, match, body: { active } }),
    });
  };
  const known = machines.data || [];
  // What is not in the form would be lost with it.
  const whole = known.length === ids.length && known.every((one) => one.hostName);
  const columns = [
    {
      title: "Due",
      main: true,
      class: "grow",
      cell: (row) => html`<${Time} at=${row.dueDate} />`,
      below: (row) => html`<span class="dim">${row.reason}</span>`,
    },
    { title: "Status", cell: (row) => html`<${State} of=${row.status} />` },
    { title: "Trigger", keep: 2, cell: (row) => row.trigger },
    { title: "Runner", keep: 3, cell: (row) => row.runner?.name },
    { title: "Duration", class: "number", cell: (row) => (duration(row) === undefined ? "" : span(duration(row))) },
  ];
  return html`
    <${Head}
      title=${job.name}
      back=${back}
      actions=${html`
        ${may("runJob") && html`<${Button} kind="primary" onClick=${() => run(job, "Run requested.")}>Run now<//>`}
        ${
          may("updateJob") &&
          html`
            <${Button} disabled=${!machines.data} onClick=${() => setEditing(true)}>Change…<//>
            <${Button} onClick=${toggleActive}>${job.active ? "Pause" : "Resume"}<//>
          `
        }
      `}
    >
      ${job.active ? html`next run <${Time} at=${job.nextRun} />` : "paused"}
    <//>
    ${query.get("run") && html`<${Run} key=${query.get("run")} id=${query.get("run")} onChange=${runs.reload} />`}
    <div class="columns wide-left">
      <${Panel} title="Runs" id="runs">
        <${Durations} runs=${runs.rows || []} />
        <${Rows}
          list=${runs}
          columns=${columns}
          label="Runs"
          href=${(row) => link(["jobs", id], { run: row.id })}
          empty=${html`<${Empty} title="No runs yet." />`}
        />
      <//>
      <div>
        <${Panel} title="Details" id="what">
          <${Facts} of=${[
            ["Description", job.description],
            ["Type", job.script?.jobType],
            ["Script", job.script?.customScript?.name],
            ["Repeats", job.schedule?.cron || job.schedule?.pattern?.type],
            ["Time zone", job.schedule?.timezone || job.schedule?.timeZone?.name],
            ["Overlapping runs", job.overlapPolicy],
            ["Missed runs", job.misfirePolicy],
            ["Time limit", span(job.timeLimit * 1000)],
            ["Changed by", personName(job.updatedBy)],
          ]} />
          ${
            known.length > 0 &&
            html`
              <h3>Machines</h3>
              <ul class="plain-list">
                ${known.map(
                  (one) => html`<li key=${one.id}><a href=${link(["resources", one.id])}>${one.name}</a></li>`,
                )}
                ${ids.length > MOST && html`<li class="dim">and ${count(ids.length - MOST)} more</li>`}
              </ul>
            `
          }
        <//>
        <${Panel} title="Next runs" id="next">
          <${Trouble} problem=${next.problem} />
          <ul class="plain-list">${(next.data?.nextRuns || []).map((at) => html`<li><${Time} at=${at} /></li>`)}</ul>
          ${next.data && !next.data.nextRuns.length && html`<${Empty} title="None." />`}
        <//>
      </div>
    </div>
    ${guard.conflict}
    ${conflict}
    ${
      editing &&
      html`<${ChangeJob}
        job=${job}
        hosts=${whole ? known.map((one) => one.hostName).join(", ") : undefined}
        onClose=${() => setEditing(false)}
        onDone=${fresh}
      />`
    }
  `;
}
