// An integration: where its calls go, its secrets, and its events.

import { call, tag, tagged } from "../api.js";
import { ShownOnce } from "../copy.js";
import { Empty, Panel, State, Time, html } from "../elements.js";
import { useList, useState } from "../hooks.js";
import { RecordActions } from "../recordactions.js";
import { RecordPage, deleteAction, editAction } from "../records.js";
import { go, link } from "../route.js";
import { Rows } from "../table.js";
import { eventForm } from "./eventform.js";
import IntegrationEvent from "./integrationevent.js";
import { notifierLayout } from "./integrations.js";

/** The credentials that an integration got to report with. */
function credentials({ apiKeyPairs = /** @type {any[]} */ ([]), token, url } = /** @type {any} */ ({})) {
  return [
    ...apiKeyPairs.flatMap(({ key, secret }) => [
      ["Key", key],
      ["Secret", secret],
    ]),
    ...(url ? [["Address", url]] : []),
    ...(token ? [["Token", token]] : []),
  ];
}

/** What can be done with an integration. `show` is given what is shown only once. */
function actionsOf(one, again, path, show) {
  const name = `“${one.displayName}”`;
  const readNotifier = async () => {
    const now = await again.read();
    return tagged({ ...now.baseNotifier }, now);
  };
  return [
    editAction(one, again, {
      operation: "updateInstalledIntegration",
      path,
      layout: { omit: ["baseNotifier"], labels: { displayName: "Name" } },
      what: `integration ${name}`,
    }),
    {
      label: one.baseNotifier ? "Edit base notifier…" : "Set base notifier…",
      title: `Edit the base notifier of ${name}`,
      operation: /** @type {const} */ ("setBaseNotifier"),
      path,
      edits: tagged({ ...one.baseNotifier }, one),
      read: readNotifier,
      layout: notifierLayout,
      change: (_, value) => value,
      message: "Saved.",
      done: again.reload,
    },
    {
      label: "Enable",
      operation: /** @type {const} */ ("enableInstalledIntegration"),
      path,
      when: one.status === "DISABLED",
      message: "Enabled.",
    },
    {
      label: "Disable",
      operation: /** @type {const} */ ("disableInstalledIntegration"),
      path,
      when: one.status === "ENABLED",
      message: "Disabled.",
    },
    {
      label: "Rotate signing secret…",
      title: `Rotate the signing secret of ${name}`,
      operation: /** @type {const} */ ("rotateSigningSecret"),
      path,
      form: true,
      send: "Rotate",
      question: "Calls carry a signature with either secret for a day, unless the previous one is revoked now.",
      done: ({ signingSecret }) => {
        show("The new signing secret", [["Signing secret", signingSecret]]);
        again.reload();
      },
    },
    {
      label: "Set inbound authentication…",
      title: `New credentials of ${name} to report alerts`,
      operation: /** @type {const} */ ("setInboundAuthentication"),
      path,
      match: tag(one),
      form: true,
      values: { authType: "WEBHOOK" },
      layout: { labels: { authType: "Authentication" } },
      send: "Create",
      question: "With these it reports alerts here and can do nothing else. Credentials that it had before end.",
      done: (now) => {
        show("The credentials to report alerts", credentials(now.inboundConfig?.authentication));
        again.reload();
      },
    },
    deleteAction(one, again, {
      operation: "deleteInstalledIntegration",
      path,
      what: `integration ${name}`,
      question: "Its events, their deliveries whether delivered or not, and its credentials are deleted too.",
      fields: [
        ["displayName", "Name", (of) => of.displayName],
        ["status", "Status", (of) => of.status],
      ],
    }),
  ];
}

/** The events of an integration. */
function Events({ one, path }) {
  const list = useList("listIntegrationEvents", { pageSize: 50 }, path);
  const open = (event) => link(["integrations", one.id], { event: event.id });
  return html`<${Panel}
    title="Events"
    id="events"
    actions=${html`<a href=${link("deliveries")}>Deliveries</a> <${RecordActions}
      actions=${[
        {
          ...eventForm(one),
          label: "New event…",
          title: `New event of “${one.displayName}”`,
          operation: /** @type {const} */ ("createIntegrationEvent"),
          path,
          form: true,
          values: { useBaseNotifier: Boolean(one.baseNotifier) },
          message: "Created.",
        },
      ]}
      onDone=${(made) => go(open(made))}
    />`}
  >
    <${Rows}
      list=${list}
      label="Events"
      columns=${[
        { title: "Name", cell: (event) => event.name, class: "grow" },
        { title: "About", cell: (event) => [event.entity, event.eventType].filter(Boolean).join(" "), keep: 2 },
        { title: "Calls", cell: (event) => `${event.thirdPartyEventType} ${event.endPointURI || ""}`, keep: 3 },
        { title: "State", cell: (event) => html`<${State} of=${event.state} />` },
      ]}
      href=${open}
      empty=${html`<${Empty} title="There is no event yet." />`}
    />
  <//>`;
}

export default function Integration({ id, query }) {
  const [shown, show] = useState();
  const path = { installedIntgId: id };
  if (query.get("event")) return html`<${IntegrationEvent} installedIntgId=${id} eventId=${query.get("event")} />`;
  const read = () => call("getInstalledIntegration", path);
  return html`<${RecordPage}
    back=${["Integrations", link("integrations")]}
    of=${`integration ${id}`}
    name=${(one) => one.displayName}
    read=${read}
    facts=${(one) => [
      ["Kind", one.integration?.name],
      ["Description", one.description],
      ["Status", html`<${State} of=${one.status} />`],
      ["Base URL", one.baseNotifier?.baseURI],
      ["Authentication", [one.baseNotifier?.authType, one.baseNotifier?.grantType].filter(Boolean).join(" ")],
      ["User name", one.baseNotifier?.userName],
      ["Reports with", one.inboundConfig?.authentication?.authType],
      ["Created", html`<${Time} at=${one.createdDate} />`],
      ["Changed", one.updatedDate && html`<${Time} at=${one.updatedDate} />`],
    ]}
    actions=${(one, again) => actionsOf(one, again, path, (title, lines) => show({ title, lines }))}
  >
    ${(one) => html`
      ${shown && html`<${ShownOnce} title=${shown.title} lines=${shown.lines} onHide=${() => show()} />`}
      <${Events} one=${one} path=${path} />
    `}
  <//>`;
}
