// One job: its schedule, its runs and their output.

import { call, may } from "../api.js";
import { BarChart } from "../barchart.js";
import { labelOf } from "../bodyschema.js";
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
  stateName,
} from "../elements.js";
import { useAnswer, useList, useState } from "../hooks.js";
import { RecordActions } from "../recordactions.js";
import { go, link } from "../route.js";
import { Rows } from "../table.js";
import { span } from "../time.js";
import { ChangeJob, FIELDS, useRunAction } from "./jobform.js";
import { repeatOf, repeatWords, scheduleOf } from "./jobschedule.js";
import { Run, duration } from "./run.js";

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
    title: `${stateName(run.status)}, ${span(duration(run))}`,
  }));
  return html`<${BarChart}
    bars=${bars}
    label=${`The last ${known.length} runs took at most ${span(Math.max(...known.map(duration)))}`}
  />`;
}

/** How many machines are named; of more, how many there are. */
const MOST = 50;

/** The name of a machine; a deleted one has its id. */
async function loadMachine(id, signal) {
  const found = await call("getResource", { resourceId: id, signal }).catch(() => undefined);
  const { hostName, ...info } = /** @type {any} */ (found?.generalInfo || { name: found?.resourceName || found?.name });
  return { id, hostName, name: info.name || hostName || id, found: Boolean(found) };
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
    fields: FIELDS,
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
  const byHand = repeatOf(scheduleOf(job)) === "never";
  const known = machines.data || [];
  // What is not in the form would be lost with it.
  const whole = known.length === ids.length && known.every((one) => one.found);
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
            ${
              (job.active || !byHand) && html`<${Button} onClick=${toggleActive}>${job.active ? "Pause" : "Resume"}<//>`
            }
          `
        }
        <${RecordActions}
          actions=${[
            {
              label: "Delete…",
              title: `Delete job “${job.name}”?`,
              operation: /** @type {const} */ ("deleteJob"),
              path: { jobId: id },
              removes: job,
              fields: FIELDS,
              read: () => call("getJob", { jobId: id }),
              question: "The history of its runs is deleted with it. A run that is under way is stopped.",
              danger: true,
              message: "Deleted.",
            },
          ]}
          onDone=${() => go(link("jobs"))}
        />
      `}
    >
      ${job.active ? html`next run <${Time} at=${job.nextRun} />` : byHand ? "runs by hand only" : "paused"}
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
            ["Type", job.script?.jobType && labelOf(job.script.jobType)],
            [
              "Script",
              job.script?.customScript &&
                html`<a href=${link(["scripts", String(job.script.customScript.id)])}>
                  ${job.script.customScript.name}
                </a>`,
            ],
            ["Repeats", repeatWords(scheduleOf(job))],
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
        known=${whole ? known : undefined}
        onClose=${() => setEditing(false)}
        onDone=${fresh}
      />`
    }
  `;
}
