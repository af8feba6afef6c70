// The form of a maintenance window, for making and changing one: how the fields of the document are laid out.

import { NamesField } from "../names.js";
import { html } from "../elements.js";
import { RecordDialog } from "../recorddialog.js";
import { ALERT_KEYS } from "../rulekeys.js";
import { RuleLines } from "../rulelines.js";
import { ScheduleField, startSchedule } from "./windowschedule.js";
import { WindowPreview } from "./windowpreview.js";

const Machines = (given) => html`<${NamesField} ...${given} name="devices" hint="Host names, separated by commas" />`;
const Groups = (given) =>
  html`<${NamesField} ...${given} name="groups" hint="Names; the groups below one belong to it" />`;
const Sites = (given) => html`<${NamesField} ...${given} name="sites" hint="Names" />`;

/** The controls of the three kinds of targets. */
export const TARGETS = {
  labels: { devices: "Machines", deviceGroups: "Device groups", locations: "Sites" },
  controls: { devices: Machines, deviceGroups: Groups, locations: Sites },
  // A window of a partner covers what belongs to its clients, too.
  within: { clients: true },
};

export const LAYOUT = {
  order: ["name", "devices", "deviceGroups", "locations", "schedule", "description"],
  more: ["alertConditions", "runEscalationAction", "runRBA", "installPatch"],
  omit: ["endBy"],
  labels: {
    ...TARGETS.labels,
    runEscalationAction: "Escalate alerts that are still open afterwards",
    runRBA: "Run scripts",
    installPatch: "Install patches",
    alertConditions: "Only some alerts",
    "alertConditions.matchingType": "Rules that must hold",
  },
  controls: { ...TARGETS.controls, schedule: ScheduleField, "alertConditions.rules": RuleLines },
  fields: { "alertConditions.rules": { keys: ALERT_KEYS } },
  within: TARGETS.within,
};

/** The dialog of a new window. */
export function NewWindow({ onClose, onDone }) {
  return html`<${RecordDialog}
    title="New maintenance window"
    operation="createMaintenanceWindow"
    values=${{ schedule: startSchedule() }}
    layout=${LAYOUT}
    onClose=${onClose}
    onDone=${onDone}
  >
    ${(value) => html`<${WindowPreview} value=${value} />`}
  <//>`;
}
