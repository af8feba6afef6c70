// A client of a partner: its name, and whether its people and programs may call.

import { call, session } from "../api.js";
import { Badge, Time, html } from "../elements.js";
import { RecordPage, editAction } from "../records.js";
import { link } from "../route.js";

const stateOf = (client) => (client.terminated ? "terminated" : client.suspended ? "suspended" : "active");

/** The fields of a client that are compared before something is done with it. */
const FIELDS = [
  ["name", "Name", (client) => client.name],
  ["state", "State", stateOf],
];

export default function Client({ id }) {
  const path = { tenantId: session.home, clientId: id };
  const read = () => call("getClient", path);
  return html`<${RecordPage}
    back=${["Clients", link("clients")]}
    of=${`client ${id}`}
    read=${read}
    facts=${(client) => [
      ["Tenant", client.uniqueId],
      ["State", html`<${Badge} kind=${client.activated ? "good" : "warn"}>${stateOf(client)}<//>`],
      ["Partner", client.partner?.name],
      ["Created", html`<${Time} at=${client.createdDate} />`],
    ]}
    actions=${(client, again) => [
      editAction(client, again, { operation: "updateClient", path, what: `client “${client.name}”` }),
      {
        label: "Suspend…",
        title: `Suspend client “${client.name}”?`,
        operation: /** @type {const} */ ("suspendClient"),
        path,
        when: !client.suspended,
        removes: client,
        read,
        fields: FIELDS,
        send: "Suspend",
        question:
          "Its people are signed out, and its programs are refused, until you resume it. Your people see it as before.",
        danger: true,
        message: "Suspended.",
        done: again.reload,
      },
      {
        label: "Resume",
        operation: /** @type {const} */ ("resumeClient"),
        path,
        when: client.suspended && !client.terminated,
        found: client,
        read,
        fields: FIELDS,
        message: "Resumed.",
      },
      {
        label: "Terminate…",
        title: `Terminate client “${client.name}”?`,
        operation: /** @type {const} */ ("terminateClient"),
        path,
        when: !client.terminated,
        removes: client,
        read,
        fields: FIELDS,
        send: "Terminate",
        confirm: client.name,
        question:
          "It cannot be resumed, and all of its API keys are revoked. Its data stays, and your people see it as before.",
        danger: true,
        message: "Terminated.",
        done: again.reload,
      },
    ]}
  />`;
}
