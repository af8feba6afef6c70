// Sites: where machines stand.

import { call } from "../api.js";
import { html } from "../elements.js";
import { RecordList } from "../records.js";

/** How the forms of a site are laid out. */
export const LAYOUT = {
  order: ["name", "description", "address", "city", "country"],
  fields: {
    address: { long: false },
    country: { offers: async () => (await call("listCountries")).map((country) => country.name) },
  },
};

const KIND = {
  title: "Sites",
  path: "sites",
  list: /** @type {const} */ ("searchSites"),
  clients: true,
  search: "name",
  columns: [
    { title: "Name", cell: (site) => site.name, class: "grow" },
    { title: "City", cell: (site) => site.city, keep: 2 },
    { title: "Country", cell: (site) => site.country, keep: 2 },
    { title: "Description", cell: (site) => site.description, keep: 3 },
  ],
  id: (site) => String(site.id),
  actions: () => [
    {
      label: "New site…",
      operation: /** @type {const} */ ("createSite"),
      form: true,
      primary: true,
      layout: LAYOUT,
      message: "Created.",
    },
  ],
};

export default function Sites({ query }) {
  return html`<${RecordList} kind=${KIND} query=${query} />`;
}
