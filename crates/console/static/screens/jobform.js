// The form of a job, for creating and changing one, and running it: how the fields of the document are laid out.

import { call, readAll } from "../api.js";
import { fieldsOf as schemaFields } from "../bodyschema.js";
import { useVersionedAction } from "../conflict.js";
import { Trouble, html } from "../elements.js";
import { useAnswer } from "../hooks.js";
import { machinesByHostName } from "../machines.js";
import { NamesField } from "../names.js";
import { RecordDialog } from "../recorddialog.js";
import { Labelled } from "../schemacontrols.js";
import { SchemaFields } from "../schemafield.js";
import { ScheduleField, repeatOf, repeatWords, scheduleOf, startSchedule } from "./jobschedule.js";

/** Machines by their host names; an unknown name is a field error. */
async function machines(resources) {
  const found = await Promise.all(
    resources.map(async (one) => {
      if (one.name === undefined) return one;
      const { rows } = await machinesByHostName(one.name);
      const machine = rows.find((row) => row.hostName.toLowerCase() === one.name.toLowerCase());
      return machine ? { id: machine.id } : { missing: one.name };
    }),
  );
  const errors = found
    .filter((one) => "missing" in one)
    .map((one) => ({ fieldName: "resources", message: `no machine is called ${one.missing}` }));
  if (errors.length) throw Object.assign(new Error("Some machines were not found."), { title: "Not found", errors });
  return found;
}

/** The body of a request: with the ids of machines, and without a schedule for a job that only people run. */
async function bodyOf(request, before = /** @type {any} */ (undefined)) {
  const body = { ...request };
  if (body.resources) body.resources = await machines(body.resources);
  if (body.schedule?.timezone === "") body.schedule = { ...body.schedule, timezone: undefined };
  if (body.schedule && repeatOf(body.schedule) === "never") body.active = false;
  else if (body.schedule && before && repeatOf(scheduleOf(before)) === "never") body.active ??= true;
  return body;
}

const taskOf = (script) =>
  script?.customScript?.id ? `script ${script.customScript.id}` : script?.jobType ? `type ${script.jobType}` : "";

/** What a job does: a script of the library, or one of the types, and what either is given. */
function TaskField({ value, onValue, problem, path, layout, errors }) {
  const choices = useAnswer(async (signal) => {
    const [scripts, types] = await Promise.all([
      readAll("searchJobScripts", { signal, query: { withPartner: "true" } }),
      call("listJobTypes", { signal }),
    ]);
    return { scripts, types: types.filter((type) => type.jobType !== "custom") };
  }, "choices");
  const { scripts = [], types = [] } = choices.data || {};
  const now = taskOf(value);
  const choose = (event) => {
    const [kind, id] = event.target.value.split(" ");
    onValue(kind === "script" ? { customScript: { id: Number(id) } } : kind ? { jobType: id } : undefined);
  };
  const isListed = [...scripts.map((one) => `script ${one.id}`), ...types.map((one) => `type ${one.jobType}`)];
  /** @type {any} */
  const takes = types.find((one) => one.jobType === value?.jobType)?.takes;
  const more = schemaFields({ type: "object", schema: value?.jobType ? "JobOfType" : "JobCustomScript" });
  const fields = Object.fromEntries(
    Object.entries(more).filter(([name]) => name === "parameters" || takes?.includes(name)),
  );
  return html`
    <${Trouble} problem=${choices.problem} />
    <${Labelled} label="Task" errors=${errors}>
      ${(rest) => html`<select name="script" ...${rest} required onChange=${choose}>
        ${!now && html`<option value="">${choices.data ? "choose…" : "Loading…"}</option>`}
        ${
          now &&
          (choices.data ? !isListed.includes(now) : value.customScript?.name || value.jobType) &&
          html`<option value=${now} selected>${value.customScript?.name || value.jobType || now}</option>`
        }
        ${
          choices.data &&
          html`
            <optgroup label="Scripts">
              ${scripts.map(
                (one) => html`<option value=${`script ${one.id}`} selected=${now === `script ${one.id}`}>
                  ${one.name}
                </option>`,
              )}
            </optgroup>
            <optgroup label="Job types for your own runners">
              ${types.map(
                (one) => html`<option
                  value=${`type ${one.jobType}`}
                  selected=${now === `type ${one.jobType}`}
                  title=${one.description}
                >
                  ${one.jobType}
                </option>`,
              )}
            </optgroup>
          `
        }
      </select>`}
    <//>
    ${
      now &&
      html`<details class="wide" open=${value.parameters !== undefined || undefined}>
        <summary>What the task is given</summary>
        <div class="fields">
          <${SchemaFields} ...${{ fields, path, value, onValue, problem, layout }} />
        </div>
      </details>`
    }
  `;
}

const Machines = (given) => html`<${NamesField} ...${given} name="resources" hint="Host names, separated by commas" />`;

/** A time limit in minutes; the interface counts seconds. */
const Minutes = ({ label, value, onValue, errors }) => html`<${Labelled} label=${label} errors=${errors}>
  ${(rest) => html`<input
    type="number"
    min="1"
    max="1440"
    name="timeLimit"
    ...${rest}
    value=${Math.ceil((value ?? 3600) / 60)}
    required
    onInput=${(event) => onValue(Number(event.target.value) * 60)}
  />`}
<//>`;

const LAYOUT = {
  order: ["name", "script", "resources", "schedule", "overlapPolicy", "misfirePolicy", "timeLimit"],
  more: ["labels", "maximumLateness", "alertOnFailure", "active"],
  omit: ["entities", "jobQueued"],
  labels: {
    resources: "Machines",
    overlapPolicy: "Overlapping runs",
    misfirePolicy: "Missed runs",
    timeLimit: "Time limit, minutes",
    labels: "Runner labels",
    maximumLateness: "Maximum lateness, seconds",
    alertOnFailure: "Alert on failure",
  },
  fields: {
    name: { about: "" },
    overlapPolicy: { about: "What becomes of a run that is due while one before it is open" },
    misfirePolicy: { about: "What becomes of due times that passed while the service was down" },
  },
  controls: { script: TaskField, schedule: ScheduleField, resources: Machines, timeLimit: Minutes },
};

/** A new job. */
export const NewJob = ({ onClose, onDone }) => html`<${RecordDialog}
  title="New job"
  operation="createJob"
  values=${{ schedule: startSchedule(), script: undefined }}
  layout=${LAYOUT}
  body=${(request) => bodyOf(request)}
  onClose=${onClose}
  onDone=${onDone}
/>`;

/**
 * Changes a job; `known` are its machines, or nothing where not all of them have a name: they stay then.
 */
export const ChangeJob = ({ job, known, onClose, onDone }) => html`<${RecordDialog}
  title=${`Change “${job.name}”`}
  operation="updateJob"
  path=${{ jobId: job.id }}
  record=${job}
  values=${{ schedule: scheduleOf(job), ...(known && { resources: known }) }}
  read=${() => call("getJob", { jobId: job.id })}
  layout=${known ? LAYOUT : { ...LAYOUT, omit: [...LAYOUT.omit, "resources"] }}
  body=${(request) => bodyOf(request, job)}
  onClose=${onClose}
  onDone=${onDone}
/>`;

/**
 * What a job has.
 * @returns {[string, string, (one: any) => any][]}
 */
export const FIELDS = [
  ["name", "Name", (one) => one.name],
  ["description", "Description", (one) => one.description],
  ["script", "Task", (one) => taskOf(one.script)],
  ["resources", "Machines", (one) => (one.resources || []).map((machine) => machine.id).join(", ")],
  ["schedule", "Repeats", (one) => repeatWords(scheduleOf(one))],
  ["overlapPolicy", "Overlapping runs", (one) => one.overlapPolicy],
  ["misfirePolicy", "Missed runs", (one) => one.misfirePolicy],
  ["timeLimit", "Time limit, seconds", (one) => one.timeLimit],
  ["labels", "Runner labels", (one) => one.labels?.join(", ")],
  ["active", "Active", (one) => (one.active ? "yes" : "no")],
];

/**
 * `run(job, message)` requests a run of a job in the version that is shown; `conflict` shows changes by somebody else
 * first.
 */
export function useRunAction(onDone = () => {}) {
  const { act, conflict } = useVersionedAction({ onDone });
  const run = (job, message) =>
    act({
      label: "Run it",
      message,
      found: job,
      fields: FIELDS,
      read: () => call("getJob", { jobId: job.id }),
      work: (match) => call("runJob", { jobId: job.id, match, body: {} }),
    });
  return { run, conflict };
}
