// The timeline of an alert: what it records itself, whom the service notified, and the audit log.

import { call, may, terms } from "../api.js";
import { Panel, Time, Trouble, html, personName, some, stateName } from "../elements.js";
import { useAnswer } from "../hooks.js";
import { link } from "../route.js";
import { millis } from "../time.js";

const later = (one, other) => (millis(one) < millis(other) ? other : one);

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
    // A window that was open before holds back an alert from its report on.
    alert.maintenance && [
      later(alert.maintenance.since, alert.firstAlertTime),
      "Held back by a maintenance window",
      alert.maintenance.name,
    ],
    alert.previousAcknowledgement && [
      alert.previousAcknowledgement.time,
      `Acknowledged by ${personName(alert.previousAcknowledgement.by)}`,
      alert.previousAcknowledgement.note,
    ],
    alert.unacknowledgement && [
      alert.unacknowledgement.time,
      alert.unacknowledgement.by ? `Unacknowledged by ${personName(alert.unacknowledgement.by)}` : "Unacknowledged",
      alert.unacknowledgement.note,
    ],
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
  const notes = (alert.notes || []).map(({ time, by, note }) => [
    time,
    `Note by ${personName(by) || "a program"}`,
    note,
  ]);
  return [...steps, ...notes].filter((step) => step && step[0]);
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
    escalated: ({ text, by }) => [`Escalated by ${personName(by)}`, text],
    handedOver: ({ text, by }) => [`Handed over by ${personName(by)}`, text],
  };
  return (timeline?.events || [])
    .filter((event) => steps[event.what])
    .map((event) => [event.time, ...steps[event.what](event)]);
}

/** The panel of the timeline; it is read again when `round` is another. */
export function AlertTimeline({ alert, names, round }) {
  const { id } = alert;
  const audit = useAnswer(
    async (signal) =>
      may("searchAuditLog")
        ? call("searchAuditLog", { signal, query: { queryString: terms({ entityId: id }), pageSize: 20 } })
        : undefined,
    `${id} ${alert.updatedDate} ${round}`,
  );
  const timeline = useAnswer(
    (signal) => call("getAlertTimeline", { alertId: id, signal }),
    `${id} ${alert.updatedDate} ${round}`,
    10e3,
  );
  const steps = [...alertSteps(alert), ...pageSteps(timeline.data, names)].sort(
    (one, other) => millis(one[0]) - millis(other[0]),
  );
  return html`<${Panel} title="Timeline" id="course"
    actions=${may("searchPages") && html`<a href=${link("pages", { alert: id })}>Pages</a>`}
  >
          <${Trouble} problem=${timeline.problem} />
          <ol class="course">
            ${steps.map(
              ([at, what, note]) => html`<li>
                <${Time} at=${at} />
                <div dir="auto">${what}${note && html`<div class="dim" dir="auto">${note}</div>`}</div>
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
                    <${Time} at=${row.time} /> ${stateName(row.action)} by${" "}
                    ${names.get(row.userId) || row.userId || row.keyId}:${" "}
                    ${Object.keys(row.changes || {})
                      .slice(0, 6)
                      .join(", ")}
                  </li>`,
                )}
              </ul>
            </details>`
          }
        <//>`;
}
