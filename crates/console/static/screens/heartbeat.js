// A heartbeat: its state, and the line that pings it.

import { address, call } from "../api.js";
import { Copyable } from "../copy.js";
import { Panel, State, Time, html } from "../elements.js";
import { RecordPage, deleteAction, editAction } from "../records.js";
import { link } from "../route.js";
import { LAYOUT, pingLine } from "./heartbeats.js";

export default function Heartbeat({ id }) {
  const path = { heartbeatId: id };
  return html`<${RecordPage}
    back=${["Heartbeats", link("heartbeats")]}
    of=${`heartbeat ${id}`}
    read=${() => call("getHeartbeat", path)}
    facts=${(one) => [
      ["State", html`<${State} of=${one.state} />`],
      ["Last ping", one.lastPing && html`<${Time} at=${one.lastPing} />`],
      ["Next ping until", one.dueDate && html`<${Time} at=${one.dueDate} />`],
      ["Interval", one.interval],
      ["Grace", one.grace],
      ["Severity", html`<${State} of=${one.severity} />`],
      ["Machine", one.device],
      ["Created", html`<${Time} at=${one.createdDate} />`],
    ]}
    actions=${(one, again) => [
      editAction(one, again, { operation: "updateHeartbeat", path, layout: LAYOUT, what: `heartbeat “${one.name}”` }),
      deleteAction(one, again, {
        operation: "deleteHeartbeat",
        path,
        what: `heartbeat “${one.name}”`,
        question: "Its address is closed. An open alert about its silence stays.",
      }),
    ]}
  >
    ${() => html`<${Panel} title="Ping" id="ping">
      <p class="hint">
        The address was shown when the heartbeat was created; put it in place of TOKEN. Where it is lost, create a new
        heartbeat and delete this one.
      </p>
      <${Copyable}
        label="Line at the end of the script"
        text=${pingLine(location.origin + address("pingHeartbeat", { token: "TOKEN" }))}
      />
    <//>`}
  <//>`;
}
