// Categories of incidents.

import { Time, html, personName } from "../elements.js";
import { RecordList } from "../records.js";

/** How the forms of a category are laid out. */
export const LAYOUT = {
  order: ["name", "names", "parentCategory"],
  labels: { parentCategory: "Below" },
  fields: {
    name: { about: "" },
    names: { about: "One or several" },
    parentCategory: { about: "Without one, at the top" },
  },
  within: { own: true },
};

const KIND = {
  title: "Incident categories",
  path: "categories",
  list: /** @type {const} */ ("listIncidentCategories"),
  clients: true,
  query: { pageSize: 100, sortName: "name", isDescendingOrder: "false" },
  search: "name",
  columns: [
    { title: "Name", class: "grow", cell: (row) => row.name },
    { title: "Below", cell: (row) => row.parentCategory?.name },
    { title: "Changed", keep: 2, cell: (row) => html`<${Time} at=${row.updatedDate} />` },
    { title: "By", keep: 3, cell: (row) => personName(row.updatedBy) },
  ],
  id: (row) => String(row.uniqueId),
  actions: () => [
    {
      label: "New categories…",
      operation: /** @type {const} */ ("createIncidentCategories"),
      form: true,
      primary: true,
      layout: LAYOUT,
      message: "Created.",
    },
  ],
};

export default function Categories({ query }) {
  return html`<${RecordList} kind=${KIND} query=${query} />`;
}
