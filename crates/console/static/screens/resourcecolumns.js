// The columns of the list of machines, which a person chooses and this browser keeps.

import { FormDialog } from "../dialog.js";
import { State, Time, html } from "../elements.js";

const KEPT = "columns of machines";
const INITIAL = ["hostName", "ipAddress", "resourceType"];

/** Columns besides the name; those that need the details of machines are `detailed`. */
const CHOICES = [
  { id: "hostName", title: "Host name", keep: 3, cell: (row) => row.hostName },
  { id: "ipAddress", title: "Address", class: "mono", cell: (row) => row.ipAddress },
  { id: "resourceType", title: "Type", keep: 2, cell: (row) => row.resourceType },
  { id: "resourceName", title: "Resource name", keep: 3, cell: (row) => row.resourceName },
  {
    id: "state",
    title: "State",
    keep: 2,
    detailed: true,
    cell: (row) => row.state && html`<${State} of=${row.state} />`,
  },
  { id: "site", title: "Site", keep: 2, detailed: true, cell: (row) => row.location?.name },
  { id: "os", title: "Operating system", keep: 3, detailed: true, cell: (row) => row.generalInfo?.osName },
  { id: "make", title: "Make", keep: 3, detailed: true, cell: (row) => row.generalInfo?.make },
  { id: "model", title: "Model", keep: 3, detailed: true, cell: (row) => row.bios?.systemModel },
  { id: "serial", title: "Serial number", keep: 3, detailed: true, cell: (row) => row.bios?.systemSerial },
  {
    id: "tags",
    title: "Tags",
    keep: 3,
    detailed: true,
    cell: (row) =>
      (row.tags || []).map(
        (tag) => html`<span class="badge quiet">${tag.name}${tag.value && `: ${tag.value}`}</span> `,
      ),
  },
  {
    id: "updated",
    title: "Changed",
    keep: 3,
    detailed: true,
    cell: (row) => html`<${Time} at=${row.generalInfo?.updatedTime || row.updatedDate} ago=${true} />`,
  },
];

/** The ids of the columns that are shown. */
export function keptColumns() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) || "") || INITIAL;
  } catch {
    return INITIAL;
  }
}

/** The columns of ids, and whether they need the details of machines. */
export function columnsOf(ids) {
  const chosen = CHOICES.filter((column) => ids.includes(column.id));
  return { columns: chosen, detailed: chosen.some((column) => column.detailed) };
}

/** The dialog that chooses columns; `onDone` gets their ids. */
export function ColumnsDialog({ ids, onClose, onDone }) {
  const send = (values) => {
    const chosen = CHOICES.map((column) => column.id).filter((id) => values[id]);
    localStorage.setItem(KEPT, JSON.stringify(chosen));
    onDone(chosen);
  };
  return html`<${FormDialog} title="Columns of the list" onSend=${send} onClose=${onClose}>
    <p class="wide hint">The name is always there. Narrow windows show fewer columns.</p>
    ${CHOICES.map(
      (column) => html`<label class="inline">
        <input type="checkbox" name=${column.id} defaultChecked=${ids.includes(column.id)} /> ${column.title}
      </label>`,
    )}
  <//>`;
}
