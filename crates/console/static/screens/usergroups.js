// User groups: people who are named together.

import { session } from "../api.js";
import { Badge, Empty, html } from "../elements.js";
import { RecordList } from "../records.js";

/** How the forms of a user group are laid out. */
export const LAYOUT = { order: ["name", "description", "users"], labels: { users: "Members" } };

/** Whether a user or a group is of a tenant whose records are changed here: a client does not change its partner's. */
export const isOurs = (record) => session.tenant.startsWith("msp_") || record.tenantId === session.tenant;

const KIND = {
  title: "User groups",
  path: "usergroups",
  list: /** @type {const} */ ("searchUserGroups"),
  clients: true,
  search: "name",
  columns: [
    { title: "Name", cell: (group) => group.name, class: "grow" },
    { title: "Description", cell: (group) => group.description, keep: 2 },
    { title: "", cell: (group) => (group.activated ? "" : html`<${Badge} kind="quiet">inactive<//>`) },
  ],
  empty: html`<${Empty} title="There is no user group here." />`,
  actions: () => [
    {
      label: "New user group…",
      operation: /** @type {const} */ ("createUserGroup"),
      form: true,
      primary: true,
      layout: LAYOUT,
      message: "Created.",
    },
  ],
};

export default function UserGroups({ query }) {
  return html`<${RecordList} kind=${KIND} query=${query} />`;
}
