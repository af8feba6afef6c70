// The forms of an incident: how the fields of the document are laid out.

import { bodyOf, fieldsOf } from "../bodyschema.js";
import { html, personName } from "../elements.js";
import { useAnswer } from "../hooks.js";
import { searchPeople } from "../peoplesearch.js";
import { isOf, placeOf, wordsAmong } from "../references.js";
import { Labelled } from "../schemacontrols.js";

export const STATUSES = ["New", "Open", "Pending", "Resolved", "Closed"];
export const PRIORITIES = ["Urgent", "High", "Normal", "Low", "Very Low"];

/** The person who works on it. */
function Assignee({ label, value, onValue, errors, within }) {
  const place = placeOf(within);
  const people = useAnswer((signal) => searchPeople({ ...place, signal }), place.tenantId);
  const isNamed = value?.firstName || value?.lastName;
  const listed = (people.data?.people || []).filter((one) => one.id === value?.id || isOf(within)(one));
  // The present assignee stays offered.
  const known = !isNamed || listed.some((one) => one.id === value.id) ? listed : [value, ...listed];
  const words = wordsAmong(known, personName);
  return html`<${Labelled} label=${label} errors=${errors}>
    ${(rest) => html`<select
      name="assignee"
      ...${rest}
      onChange=${(event) => onValue(event.target.value ? { id: event.target.value } : null)}
    >
      <option value="">nobody</option>
      ${known.map(
        (one) => html`<option key=${one.id} value=${one.id} selected=${one.id === value?.id}>${words(one)}</option>`,
      )}
    </select>`}
  <//>`;
}

const LABELS = { resources: "Machines", assigneeGroup: "Group", subCategory: "Subcategory", note: "Note to add" };
const FIELDS = {
  subject: { required: true, about: "" },
  priority: { words: PRIORITIES, about: "" },
  status: { words: STATUSES, about: "" },
  dueDate: { about: "" },
  alerts: { about: "" },
  resources: { about: "" },
  note: { about: "" },
};

/** The form of a new incident. */
export const LAYOUT = {
  order: ["subject", "priority", "assignee", "description"],
  more: [
    "category",
    "subCategory",
    "assigneeGroup",
    "roster",
    "requester",
    "alerts",
    "resources",
    "dueDate",
    "status",
    "note",
  ],
  labels: LABELS,
  fields: FIELDS,
  controls: { assignee: Assignee },
};

/** The form that changes one; it does not close it, since that has its own. */
export const editLayout = (incident) => ({
  ...LAYOUT,
  order: ["subject", "status", "priority", "assignee", "assigneeGroup", "category", "subCategory", "description"],
  more: ["roster", "requester", "dueDate", "alerts", "resources", "note"],
  fields: {
    ...FIELDS,
    status: {
      words: STATUSES.filter((status) => status !== "Closed" || incident.status === "Closed"),
      required: true,
      about: "",
    },
    priority: { ...FIELDS.priority, required: true },
  },
});

/** A form with some of the fields. */
export const only = (...names) => ({
  ...LAYOUT,
  more: [],
  omit: Object.keys(fieldsOf(bodyOf("updateIncident"))).filter((one) => !names.includes(one)),
});

/** The keys by which an empty reference is written. */
const KEYS = {
  category: "uniqueId",
  subCategory: "uniqueId",
  assigneeGroup: "uniqueId",
  requester: "id",
  assignee: "id",
  roster: "id",
};

/** The request of a change: an empty id takes a reference out. */
export function incidentBody(request) {
  const body = { ...request };
  for (const [name, key] of Object.entries(KEYS)) if (body[name] === null) body[name] = { [key]: "" };
  return body;
}
