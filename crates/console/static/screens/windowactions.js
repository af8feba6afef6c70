// What is done with a maintenance window by a form or after a question, and the fields that are compared before.

import { call, tag } from "../api.js";
import { Differences, actOnVersion } from "../conflict.js";
import { FormDialog } from "../dialog.js";
import { html } from "../elements.js";
import { Field } from "../form.js";
import { useState } from "../hooks.js";
import { DAY, millis, short, wire } from "../time.js";
import { LAYOUT, TARGETS } from "./windowform.js";
import { WindowPreview } from "./windowpreview.js";

const targets = (list) =>
  list?.length > 0 && list.map((target) => target.name || target.hostName || target.id).join(", ");
export const stretch = (one) =>
  one && `${short(millis(one.start))} to ${one.end ? short(millis(one.end)) : "it is resumed"}`;

/**
 * The fields of a window that are compared before an action.
 * @type {[string, string, (window: any) => any][]}
 */
export const FIELDS = [
  ["name", "Name", (one) => one.name],
  ["state", "State", (one) => one.state],
  ["current", "Open", (one) => stretch(one.current)],
  ["next", "Next", (one) => stretch(one.next)],
  ["skipped", "Skipped", (one) => one.skipped?.map(stretch).join(", ")],
  ["devices", "Machines", (one) => targets(one.devices)],
  ["deviceGroups", "Device groups", (one) => targets(one.deviceGroups)],
  ["locations", "Sites", (one) => targets(one.locations)],
];

/** Reads a window again. */
export const read = (id) => call("getMaintenanceWindow", { windowId: id });

/** The dialog that extends an open window; changes by somebody else are shown first. */
export function Extend({ window, onClose, onDone }) {
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

/** What is done with a form or after a question. */
export function actionsOf(window, again) {
  const { uniqueId: windowId, name } = window;
  const path = { windowId };
  const match = async () => tag(await read(windowId));
  return [
    {
      label: "Edit…",
      title: `Edit maintenance window “${name}”`,
      operation: /** @type {const} */ ("updateMaintenanceWindow"),
      path,
      edits: window,
      read: () => read(windowId),
      layout: LAYOUT,
      extra: (value) => html`<${WindowPreview} value=${value} own=${windowId} />`,
      message: "Saved.",
    },
    {
      label: "Add targets…",
      title: `Add targets to “${name}”`,
      operation: /** @type {const} */ ("addMaintenanceTargets"),
      path,
      form: true,
      match,
      layout: TARGETS,
      send: "Add",
      message: "Targets added.",
    },
    {
      label: "Suspend for a time…",
      title: `Suspend “${name}”`,
      when: window.state !== "Completed",
      operation: /** @type {const} */ ("suspendMaintenanceWindow"),
      path,
      form: true,
      match,
      values: { pattern: "range", startDate: wire(Date.now()), endDate: wire(Date.now() + DAY) },
      layout: {
        omit: ["pattern"],
        labels: { startDate: "From", endDate: "To" },
        fields: { startDate: { about: "", required: true }, endDate: { about: "", required: true } },
      },
      send: "Suspend",
      message: "Suspended for that time.",
    },
    {
      label: "End for good…",
      title: `End “${name}” for good?`,
      when: window.state !== "Completed",
      operation: /** @type {const} */ ("endMaintenanceWindow"),
      path,
      body: { pattern: "all" },
      removes: window,
      fields: FIELDS,
      read: () => read(windowId),
      send: "End",
      question: "It is completed from now on, with all occurrences to come.",
      message: "Completed.",
    },
    {
      label: "Delete…",
      title: `Delete maintenance window “${name}”?`,
      operation: /** @type {const} */ ("deleteMaintenanceWindow"),
      path,
      removes: window,
      fields: FIELDS,
      read: () => read(windowId),
      question: "The alerts that it caught stay as they are.",
      danger: true,
      message: "Deleted.",
      done: again.gone,
    },
  ];
}
