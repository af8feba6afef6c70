// A device or service group: its rules, and its members.

import { call, tag } from "../api.js";
import { Panel, count, html } from "../elements.js";
import { useAnswer } from "../hooks.js";
import { Members } from "../members.js";
import { RecordPage, deleteAction, editAction } from "../records.js";
import { link } from "../route.js";
import { groupChange, layoutOf } from "./groupform.js";

const DEVICE = {
  kind: "device",
  name: "device group",
  read: (path) => call("getDeviceGroup", path),
  update: /** @type {const} */ ("updateDeviceGroup"),
  delete: /** @type {const} */ ("deleteDeviceGroup"),
  list: /** @type {const} */ ("listDeviceGroupChildren"),
  add: /** @type {const} */ ("addDeviceGroupChildren"),
  remove: /** @type {const} */ ("removeDeviceGroupChildren"),
  filter: "deviceGroup",
};
const SERVICE = {
  kind: "service",
  name: "service group",
  read: (path) => call("getServiceGroup", path),
  update: /** @type {const} */ ("updateServiceGroup"),
  delete: /** @type {const} */ ("deleteServiceGroup"),
  list: /** @type {const} */ ("listServiceGroupChildren"),
  add: /** @type {const} */ ("addServiceGroupChildren"),
  remove: /** @type {const} */ ("removeServiceGroupChildren"),
  filter: "serviceGroup",
};

const BY_RULE = "Members by rule leave when they no longer match; they cannot be taken out by hand.";

/** The rules of a group in words. */
function Rules({ criteria }) {
  const { matchType, rules } = criteria;
  return html`<${Panel} title="Rules" id="rules">
    ${
      rules.length > 1 &&
      html`<p class="hint">A member matches ${matchType === "ANY" ? "one of the rules" : "all rules"}.</p>`
    }
    <ul class="plain-list">
      ${rules.map(
        (rule) => html`<li>
          <span class="mono">${rule.key}</span> <span class="dim">${rule.operator}</span>${" "}
          <strong>${rule.value}</strong>
          ${rule.resourceType && html`<span class="dim"> (only ${rule.resourceType})</span>`}
        </li>`,
      )}
    </ul>
  <//>`;
}

/** How many machines a group has, with those of the groups below it, and the way to them. */
function Machines({ of, group }) {
  const filter = `${of.filter}:${group.uniqueId}`;
  const found = useAnswer(
    (signal) => call("searchResources", { signal, query: { queryString: filter, state: "all", pageSize: 1 } }),
    `${group.uniqueId} ${tag(group)}`,
  );
  const total = found.data?.totalResults;
  if (total === undefined) return null;
  return html`<a href=${link("resources", { q: filter, state: "all" })}>
    ${count(total)} ${total === 1 ? "machine" : "machines"}
  </a>`;
}

export default function Group({ id }) {
  const of = id.toUpperCase().startsWith("SGP-") ? SERVICE : DEVICE;
  const path = { groupId: id };
  const read = () => of.read(path);
  const isGroup = (row) => /_GROUP$/.test(row.type);
  return html`<${RecordPage}
    key=${id}
    back=${["Groups", link("groups", { kind: of.kind === "service" && "service" })]}
    of=${`group ${id}`}
    read=${read}
    sub=${(group) => html`${of.name} · <${Machines} of=${of} group=${group} />`}
    facts=${(group) => [
      ["Description", group.description],
      [
        "Parent group",
        group.parent && html`<a href=${link(["groups", group.parent.uniqueId])}>${group.parent.name}</a>`,
      ],
      ["Members", group.filterCriteria ? "by rules and by hand" : "by hand"],
      ["Id", html`<span class="mono small">${group.uniqueId}</span>`],
    ]}
    actions=${(group, again) => [
      {
        ...editAction(group, again, {
          operation: of.update,
          path,
          layout: layoutOf(of.kind),
          what: `${of.name} “${group.name}”`,
        }),
        change: groupChange,
      },
      deleteAction(group, again, {
        operation: of.delete,
        path,
        what: `${of.name} “${group.name}”`,
        question: "Its members stay in the inventory. A group that has child groups cannot be deleted.",
      }),
    ]}
  >
    ${(group, again) => html`
      ${group.filterCriteria && html`<${Rules} criteria=${group.filterCriteria} />`}
      <${Members}
        key=${tag(group)}
        title="Members"
        what="machines"
        list=${of.list}
        add=${of.add}
        remove=${of.remove}
        path=${path}
        note=${group.filterCriteria && BY_RULE}
        columns=${[
          { title: "Name", class: "grow", cell: (row) => row.name || row.hostName },
          { title: "Type", keep: 2, cell: (row) => (isGroup(row) ? "group" : row.resourceType) },
          { title: "Address", keep: 2, class: "mono", cell: (row) => row.ipAddress },
          { title: "Member", cell: (row) => (isGroup(row) ? "child group" : row.byRule ? "by rule" : "by hand") },
        ]}
        href=${(row) => link([isGroup(row) ? "groups" : "resources", row.id])}
        id=${(row) => row.id}
        refer=${(row) => ({ id: row.id })}
        match=${async () => tag(await read())}
        within=${{ tenant: group.tenantId, kind: of.kind, group: group.uniqueId }}
        groups=${true}
        onDone=${again.reload}
      />
    `}
  <//>`;
}
