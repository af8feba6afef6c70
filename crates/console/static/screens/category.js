// A category of incidents, with those below it.

import { call, session, tag } from "../api.js";
import { Empty, Panel, Time, html, personName } from "../elements.js";
import { useList } from "../hooks.js";
import { RecordPage, deleteAction, editAction } from "../records.js";
import { link } from "../route.js";
import { Rows } from "../table.js";
import { tenantName } from "../tenants.js";
import { LAYOUT } from "./categories.js";
import { isOurs } from "./usergroups.js";

/** The categories right below one. */
function Below({ id }) {
  const list = useList("listIncidentCategories", { queryString: `parentId:${id}`, pageSize: 50 });
  return html`<${Panel} title="Categories below it" id="below">
    <${Rows}
      list=${list}
      label="Categories below it"
      columns=${[
        { title: "Name", class: "grow", cell: (row) => row.name },
        { title: "Changed", keep: 2, cell: (row) => html`<${Time} at=${row.updatedDate} />` },
      ]}
      id=${(row) => row.uniqueId}
      href=${(row) => link(["categories", row.uniqueId])}
      empty=${html`<${Empty} title="None." />`}
    />
  <//>`;
}

export default function Category({ id }) {
  const path = { categoryId: id };
  const read = () => call("getIncidentCategory", path);
  const actions = (category, again) => {
    const what = `category “${category.name}”`;
    return [
      editAction(category, again, {
        operation: "updateIncidentCategory",
        path,
        layout: { ...LAYOUT, omit: ["parentCategory"] },
        what,
      }),
      {
        label: "Move…",
        title: `Move ${what}`,
        operation: /** @type {const} */ ("moveIncidentCategory"),
        path,
        form: true,
        match: async () => tag(await read()),
        values: { parentCategory: category.parentCategory },
        layout: { ...LAYOUT, within: { own: true, tenant: category.clientUniqueId } },
        send: "Move",
        message: "Moved.",
        done: again.reload,
      },
      deleteAction(category, again, {
        operation: "deleteIncidentCategory",
        path,
        what,
        question: "A category with others below it, or with incidents, cannot be deleted.",
      }),
    ];
  };
  return html`<${RecordPage}
    back=${["Incident categories", link("categories")]}
    of=${`category ${id}`}
    read=${read}
    sub=${(category) => category.clientUniqueId !== session.tenant && `of ${tenantName(category.clientUniqueId)}`}
    facts=${(category) => [
      [
        "Below",
        category.parentCategory &&
          html`<a href=${link(["categories", category.parentCategory.uniqueId])}>${category.parentCategory.name}</a>`,
      ],
      ["Incidents", html`<a href=${link("incidents", { category: id, status: "any" })}>Show incidents</a>`],
      ["Created by", personName(category.createdBy)],
      ["Changed", html`<${Time} at=${category.updatedDate} />`],
      ["Changed by", personName(category.updatedBy)],
    ]}
    actions=${(category, again) => (isOurs({ tenantId: category.clientUniqueId }) ? actions(category, again) : [])}
  >
    ${() => html`<${Below} key=${id} id=${id} />`}
  <//>`;
}
