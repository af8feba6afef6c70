// A user group: its members, and whether it is in use.

import { call, session, tag } from "../api.js";
import { Badge, Time, html, personName } from "../elements.js";
import { Members } from "../members.js";
import { RecordPage, editAction } from "../records.js";
import { link } from "../route.js";
import { tenantName } from "../tenants.js";
import { LAYOUT, isOurs } from "./usergroups.js";

export default function UserGroup({ id }) {
  const path = { userGroupId: id };
  const read = () => call("getUserGroup", path);
  const actions = (group, again) =>
    isOurs(group)
      ? [
          editAction(group, again, {
            operation: "updateUserGroup",
            path,
            layout: { ...LAYOUT, omit: ["users"] },
            what: `user group “${group.name}”`,
          }),
          {
            label: "Deactivate…",
            title: `Deactivate user group “${group.name}”?`,
            operation: /** @type {const} */ ("deactivateUserGroup"),
            path,
            when: group.activated,
            removes: group,
            read,
            send: "Deactivate",
            question: "It stays where it is named, in rosters too, and counts there as deactivated.",
            message: "Deactivated.",
          },
          {
            label: "Activate",
            operation: /** @type {const} */ ("activateUserGroup"),
            path,
            when: !group.activated,
            found: group,
            read,
            message: "Activated.",
          },
        ]
      : [];
  return html`<${RecordPage}
    back=${["User groups", link("usergroups")]}
    of=${`user group ${id}`}
    read=${read}
    facts=${(group) => [
      ["Description", group.description],
      ["Active", group.activated ? "yes" : html`<${Badge} kind="quiet">inactive<//>`],
      ["Of", group.tenantId !== session.tenant && tenantName(group.tenantId)],
      ["Created", html`<${Time} at=${group.createdTime} />`],
    ]}
    actions=${actions}
  >
    ${(group, again) => html`<${Members}
      title="Members"
      what="people"
      list="listUserGroupMembers"
      add=${isOurs(group) ? "addUserGroupMembers" : undefined}
      remove=${isOurs(group) ? "removeUserGroupMembers" : undefined}
      path=${path}
      columns=${[
        {
          title: "Name",
          cell: personName,
          class: "grow",
          below: (user) => html`<span class="dim">${user.loginName}</span>`,
        },
        { title: "Mobile", cell: (user) => user.mobileNumber, keep: 2 },
        { title: "Of", cell: (user) => user.tenantId !== session.tenant && tenantName(user.tenantId), keep: 3 },
        { title: "", cell: (user) => (user.activated ? "" : html`<${Badge} kind="quiet">inactive<//>`) },
      ]}
      href=${(user) => link("people", { user: user.id })}
      refer=${(user) => ({ id: user.id })}
      match=${async () => tag(await read())}
      within=${{ tenant: group.tenantId }}
      onDone=${again.reload}
    />`}
  <//>`;
}
