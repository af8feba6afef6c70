// The clients of a partner.

import { session } from "../api.js";
import { Badge, Empty, html } from "../elements.js";
import { RecordList } from "../records.js";

const KIND = {
  title: "Clients",
  path: "clients",
  list: /** @type {const} */ ("searchClients"),
  search: "name",
  // Clients are the partner's, also while one of them is looked at.
  pathOf: () => ({ tenantId: session.home }),
  columns: [
    { title: "Name", cell: (client) => client.name, class: "grow" },
    { title: "Tenant", cell: (client) => client.uniqueId },
    { title: "", cell: (client) => (client.activated ? "" : html`<${Badge} kind="warn">suspended<//>`) },
  ],
  id: (client) => String(client.uniqueId),
  empty: html`<${Empty} title="There is no client here." />`,
  actions: () => [
    {
      label: "New client…",
      operation: /** @type {const} */ ("createClient"),
      path: { tenantId: session.home },
      form: true,
      primary: true,
      message: "Created.",
    },
  ],
};

export default function Clients({ query }) {
  return html`<${RecordList} kind=${KIND} query=${query} />`;
}
