// The form of a job, for creating and changing one: task, machines and schedule.

import { call } from "../api.js";
import { useVersionedAction } from "../conflict.js";
import { FormDialog } from "../dialog.js";
import { EditDialog } from "../editdialog.js";
import { Trouble, html } from "../elements.js";
import { Field } from "../form.js";
import { useAnswer, useState } from "../hooks.js";
import { machinesByHostName } from "../machines.js";
import { fromInput, millis, toInput, zone } from "../time.js";

const PATTERNS = {
  daily: { type: "daily", frequency: "everyday" },
  weekdays: { type: "daily", frequency: "every weekday" },
  weekly: { type: "weekly", repeatFrequency: 1 },
  monthly: { type: "monthly", repeatFrequency: 1 },
  once: { type: "run once" },
};
const REPEATS = [
  ["once", "Once"],
  ["daily", "Every day"],
  ["weekdays", "Every weekday"],
  ["weekly", "Every week"],
  ["monthly", "Every month"],
  ["cron", "By a cron expression"],
];

/** Which of the choices a schedule is; `other` for what only the interface can say. */
function repeatOf(schedule) {
  if (schedule.cron) return "cron";
  const { pattern = /** @type {any} */ ({}) } = schedule;
  const plain = (one) =>
    JSON.stringify([
      one.type,
      one.frequency || "",
      one.repeatFrequency || 1,
      one.weekDays || "",
      one.dayOfMonth || "",
      one.weekIndex || "",
    ]);
  return Object.keys(PATTERNS).find((name) => plain(PATTERNS[name]) === plain(pattern)) || "other";
}

const zoneOf = (schedule) => schedule.timezone || schedule.timeZone?.name || "";
const idsOf = (job) => (job.resources || []).map((one) => one.id);
const scriptOf = (script) =>
  script?.customScript ? `script ${script.customScript.id}` : script?.jobType ? `type ${script.jobType}` : "";

/** Parts of a text, by commas. */
const parts = (text) =>
  (text || "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/** Machines by their host names; an unknown name is a field error. */
async function machines(text) {
  const found = await Promise.all(
    parts(text).map(async (hostName) => {
      const { rows } = await machinesByHostName(hostName);
      return rows.find((one) => one.hostName.toLowerCase() === hostName.toLowerCase()) || { missing: hostName };
    }),
  );
  const missing = found
    .filter((one) => "missing" in one)
    .map((one) => ({ fieldName: "resources", message: `no machine is called ${one.missing}` }));
  if (missing.length)
    throw Object.assign(new Error("Some machines were not found."), { title: "Not found", errors: missing });
  return found.map((one) => ({ id: one.id }));
}

/**
 * The body of a request from what was typed or changed: what is not among `values` is left out.
 * @param {any} values
 * @param {any} [before]
 */
async function bodyOf(values, before) {
  /** @type {any} */
  const body = {};
  for (const name of ["name", "description", "misfirePolicy", "overlapPolicy"])
    if (name in values) body[name] = values[name];
  if ("timeLimit" in values) body.timeLimit = Number(values.timeLimit) * 60;
  if ("active" in values) body.active = values.active === "yes";
  if ("alertOnFailure" in values) body.alertOnFailure = values.alertOnFailure === "yes";
  if ("labels" in values) body.labels = parts(values.labels);
  if ("resources" in values) body.resources = await machines(values.resources);
  if ("script" in values) {
    const [kind, id] = values.script.split(" ");
    body.script = kind === "script" ? { customScript: { id: Number(id) } } : { jobType: id };
  }
  if (["startDate", "repeat", "cron", "timezone"].some((name) => name in values)) {
    const old = before?.schedule || {};
    const repeat = values.repeat ?? repeatOf(old);
    const how =
      repeat === "cron"
        ? { cron: values.cron ?? old.cron }
        : { pattern: repeat === "other" ? old.pattern : PATTERNS[repeat] };
    body.schedule = {
      startDate: values.startDate ? fromInput(values.startDate) : old.startDate,
      ...how,
      timezone: (values.timezone ?? zoneOf(old)) || undefined,
    };
  }
  return body;
}

/** The controls. `script` may be chosen of the library and of the types. */
function Controls({ problem, job, hosts }) {
  const choices = useAnswer(async (signal) => {
    const [scripts, types] = await Promise.all([
      call("searchJobScripts", { signal, query: { pageSize: 200, withPartner: "true" } }),
      call("listJobTypes", { signal }),
    ]);
    return { scripts: scripts.results, types: types.filter((type) => type.jobType !== "custom") };
  }, "choices");
  const [repeat, setRepeat] = useState(job ? repeatOf(job.schedule) : "daily");
  const { scripts = [], types = [] } = choices.data || {};
  const now = scriptOf(job?.script);
  const start = job ? millis(job.schedule.startDate) : Math.ceil(Date.now() / 3600e3) * 3600e3;
  const pick = (name, label, options, value) => html`<${Field}
    as="select"
    name=${name}
    label=${label}
    problem=${problem}
  >
    ${options.map(([one, title]) => html`<option value=${one} selected=${one === value}>${title}</option>`)}
  <//>`;
  const yesNo = [
    ["yes", "yes"],
    ["no", "no"],
  ];
  return html`
    <${Trouble} problem=${choices.problem} />
    <${Field} name="name" label="Name" value=${job?.name} required maxlength="200" problem=${problem} />
    <${Field} as="select" name="script" label="Task" required problem=${problem}>
      ${!now && html`<option value="">${choices.data ? "choose…" : "Loading…"}</option>`}
      ${
        now &&
        !choices.data &&
        html`<option value=${now} selected>${job.script.customScript?.name || job.script.jobType}</option>`
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
    <//>
    ${
      (!job || hosts !== undefined) &&
      html`<${Field}
        name="resources"
        label="Machines"
        value=${hosts}
        problem=${problem}
        wide
        hint="Host names, separated by commas"
      />`
    }
    <${Field}
      as="select"
      name="repeat"
      label="Repeats"
      problem=${problem}
      onChange=${(event) => setRepeat(event.target.value)}
    >
      ${[...REPEATS, ...(repeat === "other" ? [["other", "Unchanged"]] : [])].map(
        ([one, title]) => html`<option value=${one} selected=${one === repeat}>${title}</option>`,
      )}
    <//>
    ${
      repeat === "cron" &&
      html`<${Field}
        name="cron"
        label="Cron expression"
        value=${job?.schedule.cron || "0 3 * * MON-FRI"}
        required
        problem=${problem}
        hint="Minute, hour, day, month, weekday"
      />`
    }
    <${Field}
      type="datetime-local"
      name="startDate"
      label="Start"
      value=${toInput(start)}
      required
      problem=${problem}
    />
    <${Field}
      name="timezone"
      label="Time zone"
      value=${job ? zoneOf(job.schedule) : zone === "UTC" ? "" : zone}
      problem=${problem}
      hint="Empty: GMT"
    />
    ${pick(
      "overlapPolicy",
      "Overlapping runs",
      [
        ["skip", "skip the next run"],
        ["queue", "queue the next run"],
        ["allow", "run both"],
      ],
      job?.overlapPolicy || "skip",
    )}
    ${pick(
      "misfirePolicy",
      "Missed runs",
      [
        ["once", "run once"],
        ["skip", "skip"],
        ["all", "run each"],
      ],
      job?.misfirePolicy || "once",
    )}
    <${Field}
      type="number"
      min="1"
      max="1440"
      name="timeLimit"
      label="Time limit, minutes"
      value=${job ? Math.ceil(job.timeLimit / 60) : 60}
      required
      problem=${problem}
    />
    <${Field}
      name="labels"
      label="Runner labels"
      value=${job?.labels?.join(", ")}
      problem=${problem}
      hint="Separated by commas"
    />
    ${pick("alertOnFailure", "Alert on failure", yesNo, job?.alertOnFailure ? "yes" : "no")}
    ${pick("active", "Active", yesNo, !job || job.active ? "yes" : "no")}
    <${Field} as="textarea" rows="2" name="description" label="Description" wide problem=${problem}>
      ${job?.description || ""}
    <//>
  `;
}

/** A new job. */
export function NewJob({ onClose, onDone }) {
  const send = async (values) => {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
    onDone(await call("createJob", { body: await bodyOf(given) }));
  };
  return html`<${FormDialog}
    title="New job"
    send="Create"
    onSend=${send}
    onClose=${onClose}
    keep="job"
    wide=${true}
  >
    ${(problem) => html`<${Controls} problem=${problem} />`}
  <//>`;
}

/**
 * What a job has; `hosts` are the host names of its machines.
 * @returns {[string, string, (one: any) => any][]}
 */
export function fieldsOf(job, hosts = `${idsOf(job).length} machines`) {
  return [
    ["name", "Name", (one) => one.name],
    ["description", "Description", (one) => one.description],
    ["script", "Task", (one) => scriptOf(one.script)],
    [
      "resources",
      "Machines",
      (one) => (idsOf(one).join() === idsOf(job).join() ? hosts : `${idsOf(one).length} machines`),
    ],
    ["repeat", "Repeats", (one) => repeatOf(one.schedule)],
    ["cron", "Cron expression", (one) => one.schedule.cron],
    ["startDate", "Start", (one) => toInput(millis(one.schedule.startDate))],
    ["timezone", "Time zone", (one) => zoneOf(one.schedule)],
    ["overlapPolicy", "Overlapping runs", (one) => one.overlapPolicy],
    ["misfirePolicy", "Missed runs", (one) => one.misfirePolicy],
    ["timeLimit", "Time limit, minutes", (one) => Math.ceil(one.timeLimit / 60)],
    ["labels", "Runner labels", (one) => one.labels?.join(", ")],
    ["alertOnFailure", "Alert on failure", (one) => (one.alertOnFailure ? "yes" : "no")],
    ["active", "Active", (one) => (one.active ? "yes" : "no")],
  ];
}

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
      fields: fieldsOf(job),
      read: () => call("getJob", { jobId: job.id }),
      work: (match) => call("runJob", { jobId: job.id, match, body: {} }),
    });
  return { run, conflict };
}

/**
 * Changes one; `hosts` are the host names of its machines, or nothing where the form could not name them all: they stay
 * then.
 */
export function ChangeJob({ job, hosts, onClose, onDone }) {
  const write = async (changed, match) => call("updateJob", { jobId: job.id, match, body: await bodyOf(changed, job) });
  return html`<${EditDialog}
    title=${`Change “${job.name}”`}
    of=${job}
    fields=${fieldsOf(job, hosts)}
    read=${() => call("getJob", { jobId: job.id })}
    write=${write}
    onClose=${onClose}
    onDone=${onDone}
    keep=${`job ${job.id} ${job.updatedDate}`}
    wide=${true}
  >
    ${(problem) => html`<${Controls} problem=${problem} job=${job} hosts=${hosts} />`}
  <//>`;
}

/** A script of the library, for jobs to carry out. */
export function NewScript({ onClose }) {
  const send = async (values) => {
    await call("createJobScript", {
      body: { name: values.name, interpreter: values.interpreter, content: values.content, platforms: ["Linux"] },
    });
  };
  return html`<${FormDialog}
    title="New script"
    send="Create"
    onSend=${send}
    onClose=${onClose}
    keep="script"
    wide=${true}
  >
    ${(problem) => html`
      <${Field} name="name" label="Name" required maxlength="200" problem=${problem} />
      <${Field} as="select" name="interpreter" label="Interpreter" problem=${problem}>
        ${["sh", "bash", "python3", "perl", "ruby", "node", "pwsh"].map(
          (one) => html`<option value=${one}>${one}</option>`,
        )}
      <//>
      <${Field}
        as="textarea"
        rows="12"
        name="content"
        label="Script"
        required
        wide
        problem=${problem}
        class="mono"
        spellcheck=${false}
      />
    `}
  <//>`;
}
