// An alert: all that is known about it, and what people did.

import { mayLink } from "../address.js";
import { call, may, terms } from "../api.js";
import { useVersionedAction } from "../conflict.js";
import { Button, Facts, Head, Loading, Panel, State, Time, Trouble, html, personName, some } from "../elements.js";
import { isTyping } from "../form.js";
import { useAnswer, useListener, useState } from "../hooks.js";
import { Markdown } from "../markdown.js";
import { RecordActions } from "../recordactions.js";
import { OnCallNow, Responders, useNames } from "../responders.js";
import { go, link } from "../route.js";
import { attempt, say } from "../toast.js";
import { Action, FIELDS, isUnacknowledged, lateMessage, readAlert, responses } from "./alertactions.js";
import { Articles, Jobs, Windows } from "./alertpanels.js";
import { AlertTimeline } from "./alerttimeline.js";

export default function Alert({ id }) {
  const answer = useAnswer((signal) => call("getAlert", { alertId: id, signal }), id, 10e3);
  const alert = answer.data;
  const others = useAnswer(
    async (signal) =>
      alert?.device?.id
        ? call("searchAlerts", { signal, query: { queryString: terms({ resourceId: alert.device.id }), pageSize: 11 } })
        : { results: [] },
    alert?.device?.id,
  );
  const names = useNames();
  const [action, setAction] = useState();
  const guard = useVersionedAction({ fields: FIELDS, read: () => readAlert({ id }), onDone: answer.renew });
  const [sending, setSending] = useState(false);
  const [answered, setResponses] = useState(0);
  const acknowledge = async () => {
    if (sending) return undefined;
    if (!isUnacknowledged(alert)) return say("Nothing to acknowledge.");
    setSending(true);
    await guard.act({
      label: "Acknowledge",
      message: "Acknowledged.",
      found: alert,
      lateMessage,
      work: (match) => call("acknowledgeAlert", { alertId: id, match, body: {} }),
    });
    return setSending(false);
  };
  useListener(document, "keydown", (event) => {
    if (event.key !== "a" || isTyping(event) || document.querySelector("dialog[open]")) return;
    if (alert && may("acknowledgeAlert")) acknowledge();
  });
  const back = ["Alerts", link("alerts")];
  if (!alert)
    return html`
      <${Head} title=${answer.problem ? "Alert" : "…"} back=${back} />
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />` : html`<${Loading} />`}
    `;
  const open = alert.status !== "Closed";
  const host = alert.device?.hostName || alert.device?.name;
  const incident = async () => {
    const made = await attempt("An incident was opened.", () =>
      call("createIncident", { body: { alerts: [{ id: alert.id }] } }),
    );
    if (made) go(link(["incidents", made.id]));
  };
  const responded = () => {
    setResponses(answered + 1);
    answer.reload();
  };
  const actions = html`
    ${
      open &&
      isUnacknowledged(alert) &&
      may("acknowledgeAlert") &&
      html`<${Button} kind="primary" aria-disabled=${sending ? "true" : undefined} onClick=${acknowledge}>
        Acknowledge
      <//>`
    }
    ${
      open &&
      isUnacknowledged(alert) &&
      may("acknowledgeAlert") &&
      html`<${Button} onClick=${() => setAction("acknowledgeAlert")}>Acknowledge with note…<//>`
    }
    ${
      open &&
      alert.acknowledgement &&
      may("unacknowledgeAlert") &&
      html`<${Button} onClick=${() => setAction("unacknowledgeAlert")}>Unacknowledge…<//>`
    }
    ${
      open &&
      alert.status !== "Suppressed" &&
      may("suppressAlert") &&
      html`<${Button} onClick=${() => setAction("suppressAlert")}>Suppress…<//>`
    }
    ${
      open &&
      alert.status === "Suppressed" &&
      may("unsuppressAlert") &&
      html`<${Button} onClick=${() => setAction("unsuppressAlert")}>Unsuppress…<//>`
    }
    <${RecordActions} actions=${responses(alert)} onDone=${responded} />
    ${open && !alert.incidentId && may("createIncident") && html`<${Button} onClick=${incident}>Open an incident<//>`}
    ${open && may("closeAlert") && html`<${Button} onClick=${() => setAction("closeAlert")}>Close…<//>`}
  `;
  const rest = (others.data?.results || []).filter((other) => other.id !== alert.id);
  return html`
    <${Head} title=${alert.subject} back=${back} actions=${actions}>
      <${State} of=${alert.currentState} /> ${sending ? html`<span class="dim" role="status">sending…</span>` : html`<${State} of=${alert.status} />`}${" "}
      ${alert.status === "Acknowledged" && html`by ${personName(alert.acknowledgement?.by)} `}
      ${
        host &&
        html`
          on${" "}
          ${
            alert.device?.id
              ? html`<a href=${link(["resources", alert.device.id])}>${host}</a>`
              : html`<strong>${host}</strong>`
          }${" "}
          ·${" "}
        `
      }last
      reported <${Time} at=${alert.alertTime} ago=${true} />
    <//>
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    <div class="columns wide-left">
      <div>
        <${Panel} title="Details" id="what">
          ${alert.description && html`<${Markdown} text=${alert.description} />`}
          <${Facts} of=${[
            ["Metric", alert.metric],
            ["Component", alert.component],
            ["Service", alert.serviceName],
            ["Monitor", alert.monitorName],
            ["Sent by", alert.app],
            ["First report", html`<${Time} at=${alert.firstAlertTime} />`],
            ["Reports", alert.repeatCount],
            ["External id", alert.extAlertId],
            [
              "Incident",
              alert.incidentId && html`<a href=${link(["incidents", alert.incidentId])}>${alert.incidentId}</a>`,
            ],
            [
              "Link",
              alert.url &&
                (mayLink(alert.url)
                  ? html`<a href=${alert.url} target="_blank" rel="noreferrer noopener">${alert.url}</a>`
                  : alert.url),
            ],
            [
              "Tags",
              some(alert.tags)?.map(
                (tag) => html`<span class="badge quiet">${tag.name}${tag.value && `: ${tag.value}`}</span> `,
              ),
            ],
          ]} />
        <//>
        <${AlertTimeline} alert=${alert} names=${names} round=${answered} />
      </div>
      <div>
        <${Panel} title="Machine" id="machine">
          ${
            alert.device?.id
              ? html`
                  <p>
                    <a href=${link(["resources", alert.device.id])}>
                      <strong>${alert.device.hostName || alert.device.name}</strong>
                    </a>
                  </p>
                  <${Facts} of=${[
                    ["Address", alert.device.ipAddress],
                    ["Kind", alert.device.resourceType],
                  ]} />
                  <${Windows} device=${alert.device} />
                  ${
                    rest.length > 0 &&
                    html`
                      <h3>Other alerts</h3>
                      <ul class="plain-list">
                        ${rest.slice(0, 10).map(
                          (other) => html`<li>
                              <${State} of=${other.currentState} />${" "}
                              <a href=${link(["alerts", other.id])}>${other.subject}</a>${" "}
                              <span class="dim small"><${Time} at=${other.alertTime} ago=${true} /></span>
                            </li>`,
                        )}
                      </ul>
                    `
                  }
                `
              : html`
                  <p>${alert.device?.hostName || alert.device?.name || "No machine was named."}</p>
                  <p class="dim small">Not in the inventory.</p>
                `
          }
        <//>
        ${
          alert.device?.id &&
          html`<${Responders} id=${alert.device.id} names=${names} why=${link("routing", { alert: id })} />`
        }
        <${OnCallNow} />
        ${alert.device?.id && html`<${Jobs} device=${alert.device} />`}
        <${Articles} alert=${alert} />
      </div>
    </div>
    ${guard.conflict}
    ${
      action &&
      html`<${Action} name=${action} alerts=${[alert]} onClose=${() => setAction()} onDone=${answer.reload} />`
    }
  `;
}
