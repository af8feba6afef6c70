// Heartbeats: what should report again and again, and whether it did.

import { ShownOnce } from "../copy.js";
import { Empty, State, Time, html } from "../elements.js";
import { useState } from "../hooks.js";
import { RecordList } from "../records.js";

/** How the forms of a heartbeat are laid out. */
export const LAYOUT = { order: ["name", "interval", "grace", "severity", "device"] };

/** The line that pings an address. */
export const pingLine = (url) => `curl -fsS -m 10 --retry 3 ${url}`;

const COLUMNS = [
  { title: "Name", cell: (one) => one.name, class: "grow" },
  { title: "State", cell: (one) => html`<${State} of=${one.state} />` },
  { title: "Last ping", cell: (one) => html`<${Time} at=${one.lastPing} ago=${true} />` },
  { title: "Interval", cell: (one) => one.interval, keep: 2 },
  { title: "Grace", cell: (one) => one.grace, keep: 3 },
  { title: "Severity", cell: (one) => html`<${State} of=${one.severity} />`, keep: 3 },
  { title: "Machine", cell: (one) => one.device, keep: 2 },
];

export default function Heartbeats({ query }) {
  const [made, setMade] = useState();
  const kind = {
    title: "Heartbeats",
    path: "heartbeats",
    list: /** @type {const} */ ("searchHeartbeats"),
    clients: true,
    search: "name",
    columns: COLUMNS,
    id: (one) => String(one.id),
    about: "Something should report again and again: when it does not, that is an alert.",
    notice:
      made &&
      html`<${ShownOnce}
        title=${`The address of “${made.name}”`}
        lines=${[
          ["Address", made.url],
          ["Line at the end of the script", pingLine(made.url)],
        ]}
        onHide=${() => setMade()}
      />`,
    empty: html`<${Empty} title="There is no heartbeat here." />`,
    actions: (reload) => [
      {
        label: "New heartbeat…",
        operation: /** @type {const} */ ("createHeartbeat"),
        form: true,
        primary: true,
        layout: LAYOUT,
        message: "Created.",
        done: (one) => {
          setMade(one);
          reload();
        },
      },
    ],
  };
  return html`<${RecordList} kind=${kind} query=${query} />`;
}
