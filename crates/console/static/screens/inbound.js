// Inbound addresses: where monitors report alerts without a key, and the lines that each monitor needs for it.

import { address, call } from "../api.js";
import { Copyable, ShownOnce } from "../copy.js";
import { Empty, Head, Panel, Time, html } from "../elements.js";
import { useAnswer, useState } from "../hooks.js";
import { RecordActions } from "../recordactions.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";

/** What stands for the token of an address where it is not known any more. */
const TOKEN = "TOKEN";

const lines = (...all) => all.join("\n");

const MACROS = [
  ["event_id", "EVENT.ID"],
  ["event_name", "EVENT.NAME"],
  ["event_severity", "EVENT.SEVERITY"],
  ["event_value", "EVENT.VALUE"],
  ["event_timestamp", "EVENT.TIMESTAMP"],
  ["event_tagsjson", "EVENT.TAGSJSON"],
  ["event_update_action", "EVENT.UPDATE.ACTION"],
  ["event_update_message", "EVENT.UPDATE.MESSAGE"],
  ["host_host", "HOST.HOST"],
  ["alert_message", "ALERT.MESSAGE"],
];

/**
 * Monitors, and `[where, text, note]` of what each needs.
 * @type {Record<string, (url: string, token: string) => any[]>}
 */
const MONITORS = {
  Alertmanager: (url) => [
    [
      "Receiver in alertmanager.yml",
      lines(
        "receivers:",
        "  - name: muster",
        "    webhook_configs:",
        `      - url: ${url}/alertmanager`,
        "route:",
        "  receiver: muster",
      ),
      "Alerts of Prometheus get to Muster through its Alertmanager.",
    ],
  ],
  Grafana: (url) => [
    ["URL of a contact point of the type Webhook", `${url}/grafana`, "HTTP method POST; no authorization."],
    [
      "Contact point by provisioning",
      lines(
        "apiVersion: 1",
        "contactPoints:",
        "  - orgId: 1",
        "    name: muster",
        "    receivers:",
        "      - uid: muster",
        "        type: webhook",
        "        settings:",
        `          url: ${url}/grafana`,
      ),
    ],
  ],
  Zabbix: (url) => [
    [
      "Parameters of a media type of the type Webhook",
      lines(...MACROS.map(([name, macro]) => `${name}: {${macro}}`), `url: ${url}/zabbix`),
      "Add a row for each; also create message templates for problems, recoveries and updates.",
    ],
    [
      "Script",
      lines(
        "var given = JSON.parse(value);",
        "var request = new HttpRequest();",
        "request.addHeader('Content-Type: application/json');",
        "var answer = request.post(given.url, value);",
        "if (request.getStatus() >= 300) throw 'Muster answered ' + request.getStatus() + ': ' + answer;",
        "return 'OK';",
      ),
    ],
  ],
  PagerDuty: (url, token) => [
    [
      "Receiver in alertmanager.yml",
      lines("pagerduty_configs:", `  - url: ${new URL(url).origin}/v2/enqueue`, `    routing_key: ${token}`),
      "For what speaks version 2 of PagerDuty's Events API.",
    ],
    ["URL without a key in the body", `${url}/pagerduty`],
  ],
  Opsgenie: (url, token) => [
    [
      "Receiver in alertmanager.yml",
      lines("opsgenie_configs:", `  - api_url: ${new URL(url).origin}/`, `    api_key: ${token}`),
      "For what speaks Opsgenie's Alert API.",
    ],
    ["URL without a key in the header", `${url}/opsgenie`],
  ],
  curl: (url) => [
    [
      "A problem",
      lines(
        `curl -fsS ${url} -d '{"subject": "Backup of web-01 failed", "state": "critical",`,
        `  "host": "web-01", "key": "backup web-01"}'`,
      ),
    ],
    ["Its end", `curl -fsS ${url} -d '{"subject": "Backup of web-01", "state": "ok", "key": "backup web-01"}'`],
  ],
};

/** The lines for one monitor, which is chosen above them. */
export function MonitorLines({ url, token }) {
  const [monitor, choose] = useState("Alertmanager");
  return html`
    <div class="choices" role="group" aria-label="Monitor">
      ${Object.keys(MONITORS).map(
        (name) => html`<button
          type="button"
          aria-pressed=${name === monitor ? "true" : "false"}
          onClick=${() => choose(name)}
        >
          ${name}
        </button>`,
      )}
    </div>
    ${MONITORS[monitor](url, token).map(
      ([label, text, note]) => html`<${Copyable} key=${label} label=${label} text=${text} note=${note} />`,
    )}
  `;
}

const urlOf = (token) => location.origin + address("reportInbound", { token });

/** One address: its lines, without the token that nobody sees again. */
function Address({ one, onDone }) {
  return html`<${Panel}
    title=${one.name}
    id="address"
    actions=${html`
      <${RecordActions}
        actions=${[
          {
            label: "Delete…",
            title: `Delete inbound address “${one.name}”?`,
            operation: /** @type {const} */ ("deleteInboundAddress"),
            path: { inboundId: one.id },
            question: "What is sent to it is refused from now on. Its open alerts stay.",
            danger: true,
            message: "Deleted.",
          },
        ]}
        onDone=${onDone}
      />
      <button type="button" class="link" onClick=${() => refine({ address: "" })}>Close</button>
    `}
  >
    <p class="hint">The token was shown when the address was created; put it in place of ${TOKEN}.</p>
    <${MonitorLines} url=${urlOf(TOKEN)} token=${TOKEN} />
  <//>`;
}

export default function Inbound({ query }) {
  const all = useAnswer((signal) => call("listInboundAddresses", { signal }), "inbound");
  const [made, setMade] = useState();
  const chosen = all.data?.find((one) => one.id === query.get("address"));
  const onMade = (one) => {
    setMade(one);
    refine({ address: "" });
    all.reload();
  };
  return html`
    <${Head}
      title="Inbound addresses"
      actions=${html`<${RecordActions}
        actions=${[
          {
            label: "New inbound address…",
            operation: /** @type {const} */ ("createInboundAddress"),
            form: true,
            primary: true,
            message: "Created.",
            done: onMade,
          },
        ]}
        onDone=${all.reload}
      />`}
    >
      Monitors report alerts here without a key: the address itself is the secret.
    <//>
    ${
      made &&
      html`<${ShownOnce}
        title=${`The address of “${made.name}”`}
        lines=${[["Address", made.url]]}
        onHide=${() => setMade()}
      >
        <h3>Lines to paste</h3>
        <${MonitorLines} url=${made.url} token=${made.token} />
      <//>`
    }
    ${
      chosen &&
      html`<${Address}
        key=${chosen.id}
        one=${chosen}
        onDone=${() => {
          refine({ address: "" });
          all.reload();
        }}
      />`
    }
    <${Rows}
      list=${{ ...all, rows: all.data }}
      label="Inbound addresses"
      columns=${[
        { title: "Name", cell: (one) => one.name, class: "grow" },
        { title: "Created", cell: (one) => html`<${Time} at=${one.createdDate} />`, keep: 2 },
        { title: "User", cell: (one) => one.userId, keep: 3 },
      ]}
      href=${(one) => link("inbound", { address: one.id })}
      empty=${html`<${Empty} title="There is no inbound address yet." />`}
    />
  `;
}
