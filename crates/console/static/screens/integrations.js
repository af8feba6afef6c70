// Integrations: other services that are told what happens, and that may report in return.

import { call } from "../api.js";
import { ShownOnce } from "../copy.js";
import { Empty, State, html } from "../elements.js";
import { useAnswer, useState } from "../hooks.js";
import { RecordList } from "../records.js";
import { link } from "../route.js";
import { say } from "../toast.js";

/** The fields of a notifier that its kind of authentication does not need. */
export function unneeded({ authType, grantType } = /** @type {any} */ ({})) {
  const people = authType === "BASIC" || (authType === "OAUTH2" && /^(PASSWORD|REFRESH_TOKEN)$/.test(grantType));
  return [
    ...(people ? [] : ["userName", "password"]),
    ...(authType === "OAUTH2" ? [] : ["grantType", "apiKey", "apiSecret", "accessTokenURL"]),
  ];
}

const NOTIFIER = ["baseURI", "type", "authType", "grantType", "userName", "password", "apiKey", "apiSecret"];

/** How the form of a notifier is laid out, which stands in the field `at`, or alone. */
export function notifierLayout(notifier, at = "") {
  const place = (name) => (at ? `${at}.${name}` : name);
  return {
    order: NOTIFIER.map(place),
    omit: unneeded(notifier).map(place),
    // URLs are one line.
    fields: { [place("baseURI")]: { max: undefined } },
    labels: Object.fromEntries(
      [
        ["baseURI", "Base URL"],
        ["authType", "Authentication"],
        ["grantType", "Grant"],
        ["accessTokenURL", "Access token URL"],
      ].map(([name, label]) => [place(name), label]),
    ),
  };
}

const COLUMNS = [
  { title: "Name", cell: (one) => one.displayName, class: "grow" },
  { title: "Kind", cell: (one) => one.integration?.name, keep: 3 },
  { title: "Status", cell: (one) => html`<${State} of=${one.status} />` },
  { title: "Base URL", cell: (one) => one.baseNotifier?.baseURI, keep: 2 },
];

export default function Integrations({ query }) {
  const [made, setMade] = useState();
  const available = useAnswer((signal) => call("searchAvailableIntegrations", { signal }), "available");
  const kind = available.data?.results[0];
  const actions = (reload) => [
    {
      label: "Install integration…",
      title: `New integration${kind ? ` of the kind ${kind.name}` : ""}`,
      operation: /** @type {const} */ ("installIntegration"),
      form: true,
      primary: true,
      send: "Install",
      layout: (value) => ({
        ...notifierLayout(value.baseNotifier, "baseNotifier"),
        labels: { ...notifierLayout({}, "baseNotifier").labels, displayName: "Name" },
      }),
      message: "Installed.",
      done: (one) => {
        setMade(one);
        reload();
      },
    },
    {
      label: "Send an action…",
      title: "New action",
      operation: /** @type {const} */ ("createIntegrationAction"),
      form: true,
      send: "Send",
      layout: { order: ["entity", "eventType"] },
      question: "The events that it fires make deliveries, as if it had happened here.",
      done: ({ deliveries }) => say(deliveries.length ? `Deliveries made: ${deliveries.length}.` : "No event fires."),
    },
  ];
  return html`<${RecordList}
    kind=${{
      title: "Integrations",
      path: "integrations",
      list: /** @type {const} */ ("searchInstalledIntegrations"),
      search: "name",
      columns: COLUMNS,
      id: (one) => String(one.id),
      empty: html`<${Empty} title="No integrations are installed." />`,
      actions,
      notice:
        made &&
        html`<${ShownOnce}
          title=${`The signing secret of “${made.displayName}”`}
          lines=${[["Signing secret", made.signingSecret]]}
          onHide=${() => setMade()}
        >
          <p><a href=${link(["integrations", made.id])}>Open ${made.displayName}</a> and create its events.</p>
        <//>`,
    }}
    query=${query}
  />`;
}
