// One run of a job: what became of it, and what it wrote.

import { call, may } from "../api.js";
import { useVersionedAction } from "../conflict.js";
import { Button, Facts, Loading, Panel, State, Time, Trouble, count, html, some, stateName } from "../elements.js";
import { useAnswer } from "../hooks.js";
import { link, refine } from "../route.js";
import { millis, span } from "../time.js";

/** The statuses of runs that are not over. */
export const OPEN = new Set(["QUEUED", "RUNNING"]);

/**
 * The fields of a run that are compared before it is stopped. More output is not a conflict.
 * @type {[string, string, (run: any) => any][]}
 */
export const RUN_FIELDS = [
  ["status", "Status", (run) => stateName(run.status)],
  ["runner", "Runner", (run) => run.runner?.name],
  ["attempt", "Attempt", (run) => run.attempt],
  ["exitCode", "Exit code", (run) => run.exitCode],
];

/** How long a run took, in milliseconds. */
export const duration = (run) =>
  run.startedDate && run.finishedDate ? millis(run.finishedDate) - millis(run.startedDate) : undefined;

/** The panel of a run; `onChange` is called after each change. With `named`, it has a link to its job. */
export function Run({ id, onChange, named = false }) {
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
      ["Job", named && html`<a href=${link(["jobs", run.job.id])}>${run.job.name || run.job.id}</a>`],
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
