// One alert: its details, machine, timeline, responders and actions.

import { mayLink } from "../address.js";
import { call, may, terms } from "../api.js";
import { useVersionedAction } from "../conflict.js";
import {
  Button,
  Empty,
  Facts,
  Head,
  Loading,
  Panel,
  State,
  Time,
  Trouble,
  html,
  personName,
  some,
} from "../elements.js";
import { useAnswer, useEffect, useState } from "../hooks.js";
import { Markdown, Snippet } from "../markdown.js";
import { OnCallNow, Responders, useNames } from "../responders.js";
import { go, link } from "../route.js";
import { millis } from "../time.js";
import { attempt, say } from "../toast.js";
import { Action, FIELDS, asAcknowledged, isUnacknowledged, lateMessage, readAlert } from "./alerts.js";
import { useRunAction } from "./jobform.js";

/** The steps of the timeline that the alert itself records. */
function alertSteps(alert) {
  if (!alert) return [];
  const steps = [
    [alert.firstAlertTime, "Reported for the first time", alert.app && `by ${alert.app}`],
    alert.repeatCount > 1 && [
      alert.alertTime,
      `Reported again, ${alert.repeatCount} times in all`,
      alert.oldState && `${alert.oldState} → ${alert.currentState}`,
    ],
    alert.maintenance && [alert.maintenance.since, "Held back by a maintenance window", alert.maintenance.name],
    alert.acknowledgement && [
      alert.acknowledgement.time,
      `Acknowledged by ${personName(alert.acknowledgement.by)}`,
      alert.acknowledgement.note,
    ],
    alert.suppression && [
      alert.suppression.time,
      alert.suppression.by ? `Suppressed by ${personName(alert.suppression.by)}` : "Suppressed",
      alert.suppression.note,
    ],
    alert.unsuppression && [
      alert.unsuppression.time,
      `Unsuppressed by ${personName(alert.unsuppression.by)}`,
      alert.unsuppression.note,
    ],
    alert.escalation && [
      alert.escalation.time,
      "Escalated",
      (alert.escalation.onCall || []).map((person) => `notified: ${personName(person)}`).join(", ") ||
        "nobody was on call",
    ],
    alert.closure && [
      alert.closure.time,
      alert.closure.by ? `Closed by ${personName(alert.closure.by)}` : "Closed by a report of Ok",
      alert.closure.note,
    ],
  ];
  return steps.filter((step) => step && step[0]);
}

/** Words for the status of a page; in all other cases the person was notified. */
const PAGE_OUTCOMES = { pending: "Notifying", failed: "Could not notify", stopped: "Did not need to notify" };

/** Steps of the service: whom it notified, and whom it could not. */
function pageSteps(timeline, names) {
  const who = (page) =>
    names.get(page.user?.id) ||
    page.user?.id ||
    (page.integration ? "an integration" : names.get(page.target) || page.target);
  const steps = {
    page: ({ text, page }) => {
      const by = page.contactMethod ? `, by ${page.contactMethod.type.toLowerCase()}` : "";
      return [
        `${PAGE_OUTCOMES[page.status] || "Notified"} ${who(page)}`,
        `${text}${by}${page.why ? `: ${page.why}` : ""}`,
      ];
    },
    gap: ({ text, page }) => [`Could not notify ${(page && who(page)) || "anybody"}`, text],
    routed: ({ text }) => ["Routed", text],
    waits: ({ text }) => ["Waiting", text],
  };
  return (timeline?.events || [])
    .filter((event) => steps[event.what])
    .map((event) => [event.time, ...steps[event.what](event)]);
}

/** Jobs that work on its machine. */
function Jobs({ device }) {
  const list = useAnswer(
    (signal) => call("searchJobs", { signal, query: { queryString: terms({ resourceId: device.id }), pageSize: 6 } }),
    device.id,
  );
  const { run, conflict } = useRunAction();
  return html`<${Panel} title="Jobs" id="jobs">
    <${Trouble} problem=${list.problem} />
    ${
      list.data &&
      (list.data.results.length
        ? html`<ul class="plain-list">
            ${list.data.results.map(
              (job) => html`<li class="session">
                <a href=${link(["jobs", job.id])}>${job.name}</a>
                ${
                  may("runJob") &&
                  html`<${Button}
                    aria-label=${`Run now: ${job.name}`}
                    onClick=${() => run(job, `Run requested: “${job.name}”.`)}
                  >
                    Run now
                  <//>`
                }
              </li>`,
            )}
          </ul>`
        : html`<${Empty} title="No jobs for this machine." />`)
    }
    ${conflict}
  <//>`;
}

/** Articles that may help: those with a word of the subject or the metric. */
function Articles({ alert }) {
  const words = [...new Set(`${alert.metric || ""} ${alert.subject}`.toLowerCase().match(/\p{L}{4,}/gu) || [])].slice(
    0,
    4,
  );
  const found = useAnswer(async (signal) => {
    const pages = await Promise.all(
      words.map((word) => call("searchKbArticles", { signal, query: { query: word, pageSize: 3, state: "ACTIVE" } })),
    );
    const seen = new Map();
    for (const article of pages.flatMap((page) => page.results))
      if (!seen.has(article.id)) seen.set(article.id, article);
    return [...seen.values()].slice(0, 4);
  }, words.join(" "));
  return html`<${Panel} title="Articles" id="articles">
    <${Trouble} problem=${found.problem} />
    ${
      found.data &&
      (found.data.length
        ? html`<ul class="plain-list">
            ${found.data.map(
              (article) => html`<li>
                <a href=${link(["knowledge", article.id])}>${article.title}</a>
                <div class="small dim"><${Snippet} text=${article.snippet} /></div>
              </li>`,
            )}
          </ul>`
        : html`<${Empty} title="No matching articles.">
            <a href=${link("knowledge", { q: alert.metric || alert.subject })}>Search</a>
          <//>`)
    }
  <//>`;
}

function Windows({ device }) {
  const covered = useAnswer(
    (signal) => call("listActiveMaintenance", { signal, query: { resourceId: device.id } }),
    device.id,
  );
  if (!covered.data?.results.length) return html`<${Trouble} problem=${covered.problem} />`;
  return html`<ul class="plain-list">
    ${covered.data.results.map(
      (cover) => html`<li>
        In maintenance: <a href=${link("maintenance", { window: cover.window.uniqueId })}>${cover.window.name}</a>,
        until <${Time} at=${cover.until} />
      </li>`,
    )}
  </ul>`;
}

export default function Alert({ id }) {
  const answer = useAnswer((signal) => call("getAlert", { alertId: id, signal }), id, 10e3);
  const alert = answer.data;
  const audit = useAnswer(
    async (signal) =>
      may("searchAuditLog")
        ? call("searchAuditLog", { signal, query: { queryString: terms({ entityId: id }), pageSize: 20 } })
        : undefined,
    `${id} ${alert?.updatedDate}`,
  );
  const others = useAnswer(
    async (signal) =>
      alert?.device?.id
        ? call("searchAlerts", { signal, query: { queryString: terms({ resourceId: alert.device.id }), pageSize: 11 } })
        : { results: [] },
    alert?.device?.id,
  );
  const timeline = useAnswer(
    (signal) => call("getAlertTimeline", { alertId: id, signal }),
    `${id} ${alert?.updatedDate}`,
    10e3,
  );
  const names = useNames();
  const steps = [...alertSteps(alert), ...pageSteps(timeline.data, names)].sort(
    (one, other) => millis(one[0]) - millis(other[0]),
  );
  const [action, setAction] = useState();
  const guard = useVersionedAction({ fields: FIELDS, read: () => readAlert({ id }), onDone: answer.renew });
  const acknowledge = () => {
    if (!isUnacknowledged(alert)) return say("Nothing to acknowledge.");
    answer.put(asAcknowledged(alert));
    return guard.act({
      label: "Acknowledge",
      message: "Acknowledged.",
      found: alert,
      lateMessage,
      work: (match) => call("acknowledgeAlert", { alertId: id, match, body: {} }),
    });
  };
  useEffect(() => {
    const pressed = (event) => {
      if (
        event.key === "a" &&
        !event.ctrlKey &&
        !event.metaKey &&
        !event.altKey &&
        !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) &&
        !document.querySelector("dialog[open]") &&
        alert &&
        may("acknowledgeAlert")
      )
        acknowledge();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
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
  const actions = html`
    ${
      open &&
      isUnacknowledged(alert) &&
      may("acknowledgeAlert") &&
      html`<${Button} kind="primary" onClick=${acknowledge}>Acknowledge<//>`
    }
    ${
      open &&
      isUnacknowledged(alert) &&
      may("acknowledgeAlert") &&
      html`<${Button} onClick=${() => setAction("acknowledgeAlert")}>Acknowledge with note…<//>`
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
    ${open && !alert.incidentId && may("createIncident") && html`<${Button} onClick=${incident}>Open an incident<//>`}
    ${open && may("closeAlert") && html`<${Button} onClick=${() => setAction("closeAlert")}>Close…<//>`}
  `;
  const rest = (others.data?.results || []).filter((other) => other.id !== alert.id);
  return html`
    <${Head} title=${alert.subject} back=${back} actions=${actions}>
      <${State} of=${alert.currentState} /> <${State} of=${alert.status} />${" "}
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
        <${Panel} title="Timeline" id="course">
          <${Trouble} problem=${timeline.problem} />
          <ol class="course">
            ${steps.map(
              ([at, what, note]) => html`<li>
                <${Time} at=${at} /> <div>${what}${note && html`<div class="dim">${note}</div>`}</div>
              </li>`,
            )}
          </ol>
          ${
            audit.data &&
            some(audit.data.results) &&
            html`<details>
              <summary>Audit log (${audit.data.totalResults})</summary>
              <ul class="plain-list">
                ${audit.data.results.map(
                  (row) => html`<li class="small">
                    <${Time} at=${row.time} /> ${row.action} by ${row.userId || row.keyId}:${" "}
                    ${Object.keys(row.changes || {})
                      .slice(0, 6)
                      .join(", ")}
                  </li>`,
                )}
              </ul>
            </details>`
          }
        <//>
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
