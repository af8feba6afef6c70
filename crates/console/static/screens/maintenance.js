// Maintenance: windows, when they are open, and what to do with one.

import { call, may, searchableText, terms } from "../api.js";
import { Calendar, month } from "../calendar.js";
import { Differences, actOnVersion, useVersionedAction } from "../conflict.js";
import { FormDialog } from "../dialog.js";
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
import { Choices, SearchNotice, Field, Search } from "../form.js";
import { useAnswer, useEffect, useList, useState } from "../hooks.js";
import { COLOURS, Lanes } from "../lanes.js";
import { machinesAtSite, machinesByHostName, machinesInGroup } from "../machines.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { DAY, fromInput, midnight, millis, short, toInput, wire, zone } from "../time.js";

const STATES = ["Active", "Pending", "Suspended", "Completed"];
const DAYS = 14;

const parts = (text) =>
  (text || "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/**
 * The body of a create, from the form.
 * @returns {Sent<"createMaintenanceWindow">}
 */
export function bodyOf(values) {
  const recurring = values.repeat && values.repeat !== "once";
  const patterns = {
    daily: { type: "daily", dayFrequency: "everyday" },
    weekdays: { type: "daily", dayFrequency: "every weekday" },
    weekly: { type: "weekly" },
  };
  const times = { startTime: fromInput(values.start), endTime: fromInput(values.end) };
  return {
    name: values.name,
    description: values.description || undefined,
    devices: parts(values.devices).map((hostName) => ({ hostName })),
    deviceGroups: parts(values.groups).map((name) => ({ name })),
    locations: parts(values.sites).map((name) => ({ name })),
    schedule: recurring
      ? { type: "Recurring", ...times, timezone: values.timezone, pattern: patterns[values.repeat] }
      : { type: "One-Time", ...times },
    endBy: recurring ? "NEVER" : undefined,
  };
}

/** How many machines are named of each target. */
const NAMED = 5;

/** The machines that targets mean, target by target: `{target, total, names}`. */
async function coverage(body) {
  const found = async (target, page) => {
    const { total, rows } = await page;
    return { target, total, names: rows.slice(0, NAMED).map((machine) => machine.hostName || machine.name) };
  };
  return Promise.all([
    ...body.devices.map((one) => found(one.hostName, machinesByHostName(one.hostName))),
    ...body.deviceGroups.map((one) => found(`the group ${one.name}`, machinesInGroup(one.name))),
    ...body.locations.map((one) => found(`the site ${one.name}`, machinesAtSite(one.name))),
  ]);
}

/** What a window would cover, and when. */
function Preview({ covered, occurrences }) {
  return html`<div class="preview" role="status">
    <p>It covers:</p>
    <ul>
      ${covered.map(
        (one) => html`<li>
          ${one.target}:${" "}
          ${
            one.total
              ? html`
                  <strong>${count(one.total)} ${one.total === 1 ? "machine" : "machines"}</strong>${" "}
                  <span class="dim">${one.names.join(", ")}${one.total > one.names.length && " …"}</span>
                `
              : html`<span class="gaps">no machine</span>`
          }
        </li>`,
      )}
    </ul>
    ${
      occurrences.length
        ? html`
            <p>In 60 days it is open ${occurrences.length === 1 ? "once" : `${occurrences.length} times`}:</p>
            <ul>
              ${occurrences
                .slice(0, 6)
                .map(
                  (occurrence) => html`<li><${Time} at=${occurrence.start} /> to <${Time} at=${occurrence.end} /></li>`,
                )}
              ${occurrences.length > 6 && html`<li>and so on</li>`}
            </ul>
          `
        : html`<p>It is never open.</p>`
    }
  </div>`;
}

function Create({ onClose, onDone }) {
  const [preview, setPreview] = useState();
  const hour = Math.ceil(Date.now() / 3600e3) * 3600e3;
  const send = async (values) => {
    const made = await call("createMaintenanceWindow", { body: bodyOf(values) });
    onDone(made.uniqueId);
  };
  const look = async (event) => {
    const values = Object.fromEntries(new FormData(event.currentTarget.form));
    try {
      const from = Math.min(Date.now(), millis(fromInput(values.start) || wire(Date.now())));
      const body = bodyOf(values);
      const [found, covered] = await Promise.all([
        call("previewMaintenanceWindow", { query: { from: wire(from), to: wire(from + 60 * DAY) }, body }),
        coverage(body),
      ]);
      setPreview({ occurrences: found.results, covered });
    } catch (problem) {
      setPreview({ problem });
    }
  };
  return html`<${FormDialog}
    title="New maintenance window"
    send="Create"
    onSend=${send}
    onClose=${onClose}
    keep="window"
    wide=${true}
  >
    ${(problem) => html`
      <${Field} name="name" label="Name" required maxlength="200" problem=${problem} wide />
      <${Field} name="devices" label="Machines" problem=${problem} hint="Host names, separated by commas" />
      <${Field} name="groups" label="Device groups" problem=${problem} hint="Names" />
      <${Field} name="sites" label="Sites" problem=${problem} hint="Names" />
      <${Field} as="select" name="repeat" label="Repeats" problem=${problem}>
        <option value="once">Once</option>
        <option value="daily">Every day</option>
        <option value="weekdays">Every weekday</option>
        <option value="weekly">Every week</option>
      <//>
      <${Field} type="datetime-local" name="start" label="From" problem=${problem} value=${toInput(hour)} required />
      <${Field}
        type="datetime-local"
        name="end"
        label="To"
        problem=${problem}
        value=${toInput(hour + 2 * 3600e3)}
        required
      />
      <${Field}
        name="timezone"
        label="Time zone, when it repeats"
        problem=${problem}
        value=${zone === "UTC" ? "Europe/London" : zone}
      />
      <${Field} name="description" label="Description" problem=${problem} />
      <div class="field wide">
        <${Button} onClick=${look}>Preview<//>
        ${preview?.problem && html`<${Trouble} problem=${preview.problem} />`}
        ${preview?.occurrences && html`<${Preview} ...${preview} />`}
      </div>
    `}
  <//>`;
}

const targets = (list) =>
  list?.length > 0 && list.map((target) => target.name || target.hostName || target.id).join(", ");
const stretch = (one) => one && `${short(millis(one.start))} to ${short(millis(one.end))}`;

/**
 * The fields of a window that are compared before an action.
 * @type {[string, string, (window: any) => any][]}
 */
const FIELDS = [
  ["name", "Name", (one) => one.name],
  ["state", "State", (one) => one.state],
  ["current", "Open", (one) => stretch(one.current)],
  ["next", "Next", (one) => stretch(one.next)],
  ["skipped", "Skipped", (one) => one.skipped?.map(stretch).join(", ")],
  ["devices", "Machines", (one) => targets(one.devices)],
  ["deviceGroups", "Device groups", (one) => targets(one.deviceGroups)],
  ["locations", "Sites", (one) => targets(one.locations)],
];

const read = (id) => call("getMaintenanceWindow", { windowId: id });

/** The dialog that extends an open window; changes by somebody else are shown first. */
function Extend({ window, onClose, onDone }) {
  const [theirs, setTheirs] = useState();
  const { uniqueId: windowId, name } = window;
  const send = async (values) => {
    let answer;
    try {
      answer = await actOnVersion({
        found: theirs || window,
        fields: FIELDS,
        read: () => read(windowId),
        work: (match) =>
          call("extendMaintenanceWindow", { windowId, match, body: { minutes: Number(values.minutes) } }),
      });
    } catch (problem) {
      if (problem.theirs) setTheirs(problem.theirs);
      throw problem;
    }
    onDone(answer);
  };
  return html`<${FormDialog}
    title=${`Extend “${name}”`}
    send=${theirs ? "Extend anyway" : "Extend"}
    onClose=${onClose}
    onSend=${send}
    keep=${`extend ${windowId}`}
  >
    ${(problem) => html`
      ${
        theirs &&
        html`<div class="wide theirs"><${Differences} fields=${FIELDS} found=${window} theirs=${theirs} /></div>`
      }
      <${Field}
        type="number"
        min="1"
        max="10080"
        name="minutes"
        label="Minutes"
        value="30"
        problem=${problem}
        required
      />
    `}
  <//>`;
}

/** One window, beside the list. */
function Detail({ id, onChange }) {
  const answer = useAnswer((signal) => call("getMaintenanceWindow", { windowId: id, signal }), id, 30e3);
  const [extending, setExtending] = useState();
  const window = answer.data;
  const done = (now) => {
    answer.renew(now);
    onChange();
  };
  const guard = useVersionedAction({ fields: FIELDS, read: () => read(id), onDone: done });
  if (!window)
    return html`<${Panel} title="Window" id="window">
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />` : html`<${Loading} />`}
    <//>`;
  /**
   * @param {"skipMaintenanceOccurrence" | "unskipMaintenanceOccurrence" | "suspendMaintenanceWindow"
   *   | "resumeMaintenanceWindow" | "endMaintenanceWindow"} name
   */
  const act = (name, label, message, body = {}) =>
    guard.act({ label, message, found: window, work: (match) => call(name, { windowId: id, match, body }) });
  const open = window.state === "Active";
  const soonest = window.current || window.next;
  return html`<${Panel}
    title=${window.name}
    id="window"
    actions=${html`<button type="button" class="link" onClick=${() => refine({ window: "" })}>Close</button>`}
  >
    <p>
      <${State} of=${window.state} />${" "}
      ${
        window.current
          ? html`open until <${Time} at=${window.current.end} />`
          : window.next
            ? html`next <${Time} at=${window.next.start} /> to <${Time} at=${window.next.end} />`
            : "no more occurrences"
      }
    </p>
    ${window.description && html`<p>${window.description}</p>`}
    <${Facts} of=${[
      ["Machines", targets(window.devices)],
      ["Device groups", targets(window.deviceGroups)],
      ["Sites", targets(window.locations)],
      [
        "Repeats",
        window.schedule?.pattern &&
          `${window.schedule.pattern.dayFrequency || window.schedule.pattern.type} (${window.schedule.timezone})`,
      ],
      ["Afterwards", window.runEscalationAction ? "open alerts are escalated" : "open alerts stay suppressed"],
      ["Created by", personName(window.createdBy)],
    ]} />
    ${
      some(window.skipped) &&
      html`
        <h3>Skipped occurrences</h3>
        <ul class="plain-list">
          ${window.skipped?.map(
            (one) => html`<li class="session" key=${one.start}>
              <span><${Time} at=${one.start} /> to <${Time} at=${one.end} /></span>
              ${
                may("unskipMaintenanceOccurrence") &&
                html`<${Button}
                  aria-label=${`Take back the skip of ${short(millis(one.start))}`}
                  onClick=${() =>
                    act("unskipMaintenanceOccurrence", "Take it back", "It takes place.", { start: one.start })}
                >
                  Take back
                <//>`
              }
            </li>`,
          )}
        </ul>
      `
    }
    <div class="actions">
      ${
        open &&
        may("extendMaintenanceWindow") &&
        html`<${Button} kind="primary" onClick=${() => setExtending(window)}>Extend…<//>`
      }
      ${
        soonest &&
        may("skipMaintenanceOccurrence") &&
        html`<${Button} onClick=${() => act("skipMaintenanceOccurrence", "Skip", "Skipped.", { start: soonest.start })}>
          ${window.current ? "Skip this one" : "Skip the next"}
        <//>`
      }
      ${
        window.state === "Pending" &&
        may("suspendMaintenanceWindow") &&
        html`<${Button} onClick=${() => act("suspendMaintenanceWindow", "Suspend", "Suspended.", { pattern: "now" })}>
          Suspend
        <//>`
      }
      ${
        window.state === "Suspended" &&
        may("resumeMaintenanceWindow") &&
        html`<${Button} onClick=${() => act("resumeMaintenanceWindow", "Resume", "Resumed.")}>Resume<//>`
      }
      ${
        open &&
        may("endMaintenanceWindow") &&
        html`<${Button} kind="danger" onClick=${() => act("endMaintenanceWindow", "End", "Ended.")}>End now<//>`
      }
    </div>
    ${guard.conflict}
    ${extending && html`<${Extend} window=${extending} onClose=${() => setExtending()} onDone=${done} />`}
  <//>`;
}

/** How many occurrences a month shows; those of all windows, so that a colour is a window. */
const MOST = 1000;

/** When which windows are open, day by day. */
function Month({ shown, filter, stamp }) {
  const answer = useAnswer(
    (signal) =>
      call("listAllMaintenanceOccurrences", {
        signal,
        query: {
          from: wire(shown.from),
          to: wire(shown.to),
          queryString: filter,
          pageSize: MOST,
          isDescendingOrder: "false",
        },
      }),
    `${shown.from} ${filter}`,
  );
  useEffect(() => void answer.reload(), [stamp]);
  if (!answer.data)
    return answer.problem
      ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />`
      : html`<${Loading} />`;
  const ids = [...new Set(answer.data.results.map((one) => one.window.uniqueId))].sort();
  const parts = answer.data.results.map((one) => ({
    start: one.start,
    end: one.end,
    text: one.window.name,
    colour: ids.indexOf(one.window.uniqueId) % COLOURS,
    href: link("maintenance", {
      view: "month",
      month: new URLSearchParams(location.search).get("month") || "",
      window: one.window.uniqueId,
    }),
  }));
  return html`
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    ${
      answer.data.totalResults > MOST &&
      html`<p class="gaps">The first ${count(MOST)} of ${count(answer.data.totalResults)} are shown.</p>`
    }
    <${Calendar} parts=${parts} shown=${shown} label=${`When windows are open, ${shown.name}`} />
  `;
}

export default function Maintenance({ query }) {
  const [creating, setCreating] = useState(false);
  const text = query.get("name") || "";
  const state = query.get("state") || "";
  const chosen = query.get("window");
  const calendar = query.get("view") === "month";
  const offset = Math.max(-12, Math.min(12, Number.parseInt(query.get("month") || "0", 10) || 0));
  const shown = month(offset);
  const filter = terms({ name: searchableText(text), state });
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
      <${SearchNotice} text=${text} />
    </div>
    ${chosen && html`<${Detail} key=${chosen} id=${chosen} onChange=${list.reload} />`}
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
          ? html`<${Month} shown=${shown} filter=${filter} stamp=${list.data} />`
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
      columns=${columns}
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
      creating &&
      html`<${Create}
        onClose=${() => setCreating(false)}
        onDone=${(id) => {
          list.reload();
          refine({ window: id });
        }}
      />`
    }
  `;
}
