// Decommissioned machines: what there was, since when it is gone, and why.

import { Empty, Time, html } from "../elements.js";
import { RecordList } from "../records.js";

const KIND = {
  title: "Decommissioned machines",
  path: "decommissioned",
  list: /** @type {const} */ ("searchDecommissionedResources"),
  search: "hostName",
  searchLabel: "Search by host name",
  columns: [
    { title: "Name", class: "grow", cell: (row) => row.name || row.hostName || row.id },
    { title: "Decommissioned", cell: (row) => html`<${Time} at=${row.updatedDate} />` },
    { title: "Reason", keep: 2, class: "grow", cell: (row) => row.history?.decommissionReason },
    { title: "Type", keep: 3, cell: (row) => row.resourceType },
    { title: "Address", keep: 3, class: "mono", cell: (row) => row.ipAddress },
  ],
  id: (row) => row.id,
  empty: html`<${Empty} title="No decommissioned machines." />`,
};

export default function Decommissioned({ query }) {
  return html`<${RecordList} kind=${KIND} query=${query} />`;
}
