// Device groups and service groups: machines by hand or by rule.

import { may } from "../api.js";
import { Choices } from "../form.js";
import { Empty, html } from "../elements.js";
import { RecordList } from "../records.js";
import { link, refine } from "../route.js";
import { layoutOf } from "./groupform.js";

const columns = [
  { title: "Name", class: "grow", cell: (group) => group.name },
  {
    title: "Parent group",
    keep: 2,
    cell: (group) => group.parent && html`<a href=${link(["groups", group.parent.uniqueId])}>${group.parent.name}</a>`,
  },
  {
    title: "Rules",
    keep: 2,
    cell: (group) => group.filterCriteria?.rules.length || "",
  },
  { title: "Description", keep: 3, class: "grow", cell: (group) => group.description },
];

const device = {
  list: /** @type {const} */ ("searchDeviceGroups"),
  create: /** @type {const} */ ("createDeviceGroups"),
  name: "device group",
};
const service = {
  list: /** @type {const} */ ("searchServiceGroups"),
  create: /** @type {const} */ ("createServiceGroups"),
  name: "service group",
};

export default function Groups({ query }) {
  const kind = query.get("kind") === "service" ? "service" : "device";
  const of = kind === "service" ? service : device;
  return html`<${RecordList}
    key=${kind}
    query=${query}
    kind=${{
      title: "Groups",
      path: "groups",
      list: of.list,
      query: { sortName: "name", isDescendingOrder: "false" },
      search: "name",
      filters: html`<${Choices}
        label="Kind"
        options=${["device", "service"]}
        value=${kind}
        onValue=${() => refine({ kind: kind === "device" ? "service" : "" })}
      />`,
      columns,
      clients: true,
      empty: html`<${Empty} title=${`No ${of.name}s.`}>
        ${may(of.create) ? "A group holds machines that are added by hand, or that match its rules." : ""}
      <//>`,
      actions: () => [
        {
          label: `New ${of.name}…`,
          operation: of.create,
          form: true,
          primary: true,
          layout: layoutOf(kind),
          message: "Created.",
        },
      ],
    }}
  />`;
}
