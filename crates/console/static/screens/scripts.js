// Scripts: the library of what jobs run.

import { Time, count, html, personName } from "../elements.js";
import { RecordList } from "../records.js";
import { Labelled } from "../schemacontrols.js";

/** The text of a script. */
const Code = ({ field, label, value, onValue, errors }) => html`<${Labelled} label=${label} errors=${errors} wide>
  ${(rest) => html`<textarea
    rows="12"
    name="content"
    class="mono"
    ...${rest}
    value=${value ?? ""}
    maxlength=${field.max}
    required=${field.required}
    spellcheck=${false}
    onInput=${(event) => onValue(event.target.value)}
  ></textarea>`}
<//>`;

/** How the forms of a script are laid out. */
export const LAYOUT = {
  order: ["name", "interpreter", "content", "description", "platforms"],
  labels: { content: "Script" },
  controls: { content: Code },
};

/** The button of a new script. */
export const NEW_SCRIPT = {
  label: "New script…",
  operation: /** @type {const} */ ("createJobScript"),
  form: true,
  primary: true,
  layout: LAYOUT,
  message: "Created.",
};

const KIND = {
  title: "Scripts",
  path: "scripts",
  list: /** @type {const} */ ("searchJobScripts"),
  clients: true,
  query: { withPartner: "true", pageSize: 100 },
  search: "name",
  columns: [
    { title: "Name", class: "grow", main: true, cell: (row) => row.name, below: (row) => row.description },
    { title: "Interpreter", keep: 2, cell: (row) => row.interpreter },
    { title: "Platforms", keep: 3, cell: (row) => row.platforms.join(", ") },
    { title: "Bytes", keep: 3, class: "number", cell: (row) => count(row.size) },
    { title: "Changed", keep: 2, cell: (row) => html`<${Time} at=${row.updatedDate} />` },
    { title: "By", keep: 3, cell: (row) => personName(row.updatedBy) },
  ],
  id: (row) => String(row.id),
  actions: () => [NEW_SCRIPT],
};

export default function Scripts({ query }) {
  return html`<${RecordList} kind=${KIND} query=${query} />`;
}
