// Alerts: a live board. What is shown is in the address.

import { call, each, may, searchableText, session, terms } from "../api.js";
import { BarChart } from "../barchart.js";
import { useChangeStream } from "../changestream.js";
import { Differences, actOnVersion } from "../conflict.js";
import { FormDialog } from "../dialog.js";
import { Button, Empty, Head, State, Time, Trouble, count, html, personName } from "../elements.js";
import { Choices, SearchNotice, Field, Search } from "../form.js";
import { useAnswer, useChosen, useList, useState } from "../hooks.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { HOUR, millis, short, wire } from "../time.js";
import { say } from "../toast.js";

const STATUSES = ["New", "Acknowledged", "Suppressed", "Closed"];
const STATES = ["Critical", "Warning", "Info", "Ok"];
// Polling beside the stream of changes, in case the stream misses something or is not available.
const EVERY = 15000;

const DONE_WORDS = {
  acknowledgeAlert: "Acknowledged",
  suppressAlert: "Suppressed",
  unsuppressAlert: "No longer suppressed",
  closeAlert: "Closed",
};

/**
 * The fields of an alert that are compared before an action. Another report of it is not a conflict.
 * @type {[string, string, (alert: any) => any][]}
 */
export const FIELDS = [
  ["status", "Status", (alert) => alert.status],
  ["acknowledgement", "Acknowledged by", (alert) => personName(alert.acknowledgement?.by)],
  ["suppression", "Suppressed by", (alert) => personName(alert.suppression?.by)],
  ["closure", "Closed by", (alert) => personName(alert.closure?.by)],
  ["currentState", "State", (alert) => alert.currentState],
  ["incidentId", "Incident", (alert) => alert.incidentId],
];

export const readAlert = (alert) => call("getAlert", { alertId: alert.id });

/** Alerts that others changed meanwhile, as first shown and as they are now. */
function Conflicts({ theirs }) {
  return html`<div class="wide theirs">
    <h3>Changed meanwhile</h3>
    ${theirs.map(
      ([alert, now]) => html`
        <p key=${alert.id}>${theirs.length > 1 && alert.subject}</p>
        <${Differences} fields=${FIELDS} found=${alert} theirs=${now} />
      `,
    )}
  </div>`;
}

/**
 * Asks for what an action takes, and does it with each of the alerts. One that others changed meanwhile is shown
 * before; `meanwhile` has those of which that is known, as they were found and as they are.
 */
export function Action({ name, alerts, meanwhile = /** @type {[any, any][]} */ ([]), onClose, onDone }) {
  const [all] = useState(alerts);
  const [left, setLeft] = useState(alerts);
  const [theirs, setTheirs] = useState(meanwhile);
  const title = {
    acknowledgeAlert: "Acknowledge",
    suppressAlert: "Suppress",
    closeAlert: "Close",
    unsuppressAlert: "Unsuppress",
  }[name];
  const many = all.length === 1 ? `“${all[0].subject}”` : `${all.length} alerts`;
  const known = new Map(theirs.map(([alert, now]) => [alert.id, now]));
  // Alerts that somebody else acknowledged or closed are only shown.
  const over = name === "acknowledgeAlert" ? theirs.filter(([, now]) => lateMessage(now)) : [];
  const open = left.filter((alert) => !over.some(([one]) => one.id === alert.id));
  const done = open.length
    ? ""
    : over.length === 1
      ? lateMessage(over[0][1])
      : "Others acknowledged or closed them meanwhile";
  /** @type {(alert: any, body: {note?: string, until?: string}) => Promise<any>} */
  const act = (alert, body) =>
    actOnVersion({
      found: known.get(alert.id) || alert,
      fields: FIELDS,
      read: () => readAlert(alert),
      work: (match) => call(name, /** @type {any} */ ({ alertId: alert.id, match, body })),
    });
  const send = async (values) => {
    /** @type {{note?: string, until?: string}} */
    const body = {};
    if (values.note) body.note = values.note;
    if (values.hours) body.until = wire(Date.now() + Number(values.hours) * 3600e3);
    const failed = await each(open, (alert) => act(alert, body));
    const changed = failed.filter(([, problem]) => problem.theirs);
    if (changed.length) {
      setLeft(changed.map(([alert]) => alert));
      setTheirs(changed.map(([alert, problem]) => /** @type {[any, any]} */ ([alert, problem.theirs])));
    }
    const refused = failed.filter(([, problem]) => !problem.theirs);
    if (refused.length && all.length > 1)
      say(`${DONE_WORDS[name]} ${open.length - failed.length} of ${open.length}.`, refused[0][1]);
    if (changed.length || (refused.length && all.length === 1)) throw (changed[0] || refused[0])[1];
    if (!failed.length) say(all.length === 1 ? `${DONE_WORDS[name]}.` : `${DONE_WORDS[name]}: ${all.length}.`);
    onDone(failed);
  };
  return html`<${FormDialog}
    title=${done || `${title} ${many}`}
    send=${done ? "" : theirs.length ? `${title} anyway` : title}
    leave=${done ? "Close" : "Cancel"}
    onSend=${send}
    onClose=${onClose}
    danger=${name === "closeAlert"}
    keep=${`${name} ${all.map((alert) => alert.id).join()}`}
  >
    ${(problem) => html`
      ${theirs.length > 0 && html`<${Conflicts} theirs=${theirs} />`}
      ${
        name === "suppressAlert" &&
        html`<${Field} as="select" name="hours" label="For" problem=${problem}>
          <option value="1">1 hour</option>
          <option value="4">4 hours</option>
          <option value="24">1 day</option>
          <option value="168">1 week</option>
          <option value="">until it is closed</option>
        <//>`
      }
      ${
        !done &&
        html`<${Field}
          as="textarea"
          rows="2"
          name="note"
          label="Note"
          wide
          problem=${problem}
          hint=${name === "closeAlert" ? "Reported again, it becomes a new alert." : undefined}
        />`
      }
    `}
  <//>`;
}

/** An alert as it will be once I acknowledge it; a suppressed one stays suppressed. */
export const asAcknowledged = (alert) => ({
  ...alert,
  status: alert.status === "New" ? "Acknowledged" : alert.status,
  acknowledgement: { by: session.me.user, time: wire(Date.now()), note: "" },
});

/** Whether nobody acknowledged an alert yet. */
export const isUnacknowledged = (alert) =>
  alert.status === "New" || (alert.status === "Suppressed" && !alert.acknowledgement);

/** Says who acknowledged or closed an alert meanwhile; empty while it can be acknowledged. */
export function lateMessage(alert) {
  if (isUnacknowledged(alert)) return "";
  const who = personName((alert.closure || alert.acknowledgement)?.by) || "Somebody";
  return `${who} ${alert.status === "Closed" ? "closed" : "acknowledged"} it meanwhile`;
}

/**
 * Acknowledges at once, without asking. `show` hears of what is shown meanwhile, the alerts as they will be, until the
 * service says how they are; `ask` of those that others changed meanwhile, as they were found and as they are.
 * @param {any[]} alerts
 * @param {{onDone: () => void, show: (shown: any[]) => void, ask: (theirs: [any, any][]) => void}} then
 */
async function acknowledge(alerts, { onDone, show, ask }) {
  const open = alerts.filter(isUnacknowledged);
  if (!open.length) return say("Nothing to acknowledge.");
  show(open.map(asAcknowledged));
  const failed = await each(open, (alert) =>
    actOnVersion({
      found: alert,
      fields: FIELDS,
      read: () => readAlert(alert),
      work: (match) => call("acknowledgeAlert", { alertId: alert.id, match, body: {} }),
    }),
  );
  const changed = failed.filter(([, problem]) => problem.theirs);
  const refused = failed.find(([, problem]) => !problem.theirs);
  const some = `Acknowledged ${open.length - failed.length} of ${open.length}.`;
  if (changed.length < open.length)
    say(failed.length ? some : open.length === 1 ? "Acknowledged." : `Acknowledged: ${open.length}.`, refused?.[1]);
  if (changed.length) ask(changed.map(([alert, problem]) => [alert, problem.theirs]));
  return onDone();
}

const HOURS = 24;
const MOST = 1000;

/** How many alerts were taken in, hour by hour. */
function Hourly({ stamp }) {
  const hour = Math.floor(Date.now() / HOUR);
  const from = (hour - HOURS + 1) * HOUR;
  const found = useAnswer(
    (signal) =>
      call("searchAlerts", { signal, query: { queryString: terms({ startDate: wire(from) }), pageSize: MOST } }),
    `${hour} ${stamp}`,
  );
  if (!found.data) return html`<${Trouble} problem=${found.problem} />`;
  const counts = Array.from({ length: HOURS }, () => 0);
  for (const row of found.data.results) {
    const place = Math.floor(millis(row.createdDate) / HOUR) - hour + HOURS - 1;
    if (place in counts) counts[place] += 1;
  }
  const bars = counts.map((value, place) => ({ value, title: `${short(from + place * HOUR)}: ${value}` }));
  const { totalResults } = found.data;
  return html`<div class="hourly">
    <${BarChart}
      bars=${bars}
      label=${`${totalResults} alerts in the last ${HOURS} hours, at most ${Math.max(...counts)} in one`}
    />
    <span class="dim small">
      ${count(totalResults)} in ${HOURS} hours${totalResults > MOST && `; the last ${count(MOST)} are drawn`}
    </span>
  </div>`;
}

export default function Alerts({ query }) {
  const status = query.has("status") ? query.get("status") : "New,Acknowledged";
  const state = query.get("state") || "";
  const subject = query.get("subject") || "";
  const hostName = query.get("host") || "";
  const filter = terms({
    status: status === "any" ? "" : status,
    state,
    subject: searchableText(subject),
    hostName: searchableText(hostName),
  });
  const list = useList("searchAlerts", { queryString: filter, pageSize: 100 }, {}, EVERY);
  const live = useChangeStream(["ALERT"], list.reload);
  const select = useChosen();
  /** @type {[{name: string, alerts: any[], meanwhile?: [any, any][]} | undefined, (action?: any) => void]} */
  const [action, setAction] = useState();
  const rows = list.rows || [];
  const chosen = rows.filter((row) => select.chosen.has(row.id));
  const show = (changed) => {
    const known = new Map(changed.map((row) => [row.id, row]));
    if (list.data) list.put({ ...list.data, results: list.data.results.map((row) => known.get(row.id) || row) });
  };
  const done = () => {
    select.clear();
    list.reload();
  };
  const ask = (meanwhile) =>
    setAction({ name: "acknowledgeAlert", alerts: meanwhile.map(([alert]) => alert), meanwhile });
  const then = { onDone: done, show, ask };
  const columns = [
    { title: "State", cell: (row) => html`<${State} of=${row.currentState} />`, class: "narrow" },
    {
      title: "Subject",
      main: true,
      class: "grow",
      cell: (row) => row.subject,
      below: (row) => html`
        <span class="dim">${row.component}</span>
        <span class="only-narrow">
          ${row.component && " · "}
          ${row.device?.hostName || row.device?.name} · ${row.status} · <${Time} at=${row.alertTime} ago=${true} />
        </span>
      `,
    },
    {
      title: "Machine",
      keep: 2,
      cell: (row) =>
        row.device?.id
          ? html`<a href=${link(["resources", row.device.id])}>${row.device.hostName || row.device.name}</a>`
          : row.device?.hostName || row.device?.name,
    },
    { title: "Status", keep: 2, cell: (row) => html`<${State} of=${row.status} />` },
    { title: "By", keep: 3, cell: (row) => row.acknowledgement?.by?.loginName || row.closure?.by?.loginName || "" },
    { title: "Reports", keep: 3, class: "number", cell: (row) => row.repeatCount },
    { title: "Last report", keep: 2, cell: (row) => html`<${Time} at=${row.alertTime} ago=${true} />` },
  ];
  const keys = {};
  if (may("acknowledgeAlert"))
    keys.a = (row) => (chosen.length || row) && acknowledge(chosen.length ? chosen : [row], then);
  keys.x = (row) => row && select.toggle(row.id);
  const filtered = subject || hostName || state || query.has("status");
  return html`
    <${Head}
      title="Alerts"
      actions=${html`<span
        class="live"
        title=${live ? "Updated as alerts change" : `Refreshed every ${EVERY / 1000} seconds while the page is visible`}
      >
        <span class=${list.problem ? "dot off" : "dot"} aria-hidden="true"></span> ${list.problem ? "not live" : "live"}
      </span>`}
    />
    <div class="filters">
      <${Search}
        value=${subject}
        onValue=${(text) => refine({ subject: text })}
        label="Subject contains"
        placeholder="Subject contains…"
      />
      <input
        class="search"
        type="search"
        aria-label="Machine contains"
        placeholder="Machine contains…"
        value=${hostName}
        onChange=${(event) => refine({ host: event.target.value.trim() })}
      />
      <${Choices}
        label="Status"
        options=${STATUSES}
        value=${status === "any" ? "" : status}
        onValue=${(value) => refine({ status: value || "any" })}
      />
      <${Choices} label="State" options=${STATES} value=${state} onValue=${(value) => refine({ state: value })} />
      ${filtered && html`<a href=${link("alerts")}>Clear</a>`}
      <${SearchNotice} text=${subject} />
      <${SearchNotice} text=${hostName} />
    </div>
    <${Hourly} stamp=${list.data?.results[0]?.id} />
    ${
      chosen.length > 0 &&
      html`<div class="chosen-bar" role="region" aria-label="Selection">
        <strong>${chosen.length} selected</strong>
        ${
          may("acknowledgeAlert") &&
          html`<${Button} kind="primary" onClick=${() => acknowledge(chosen, then)}>Acknowledge<//>`
        }
        ${
          may("suppressAlert") &&
          html`<${Button} onClick=${() => setAction({ name: "suppressAlert", alerts: chosen })}>Suppress…<//>`
        }
        ${
          may("closeAlert") &&
          html`<${Button} onClick=${() => setAction({ name: "closeAlert", alerts: chosen })}>Close…<//>`
        }
        <button type="button" class="link" onClick=${select.clear}>Clear selection</button>
      </div>`
    }
    <${Rows}
      list=${list}
      columns=${columns}
      label="Alerts"
      href=${(row) => link(["alerts", row.id])}
      select=${may("acknowledgeAlert") ? select : undefined}
      keys=${keys}
      empty=${
        filtered
          ? html`<${Empty} title="No alert matches."><a href=${link("alerts")}>Show open alerts</a><//>`
          : html`<${Empty} title="No open alerts.">
              <a href=${link("alerts", { status: "Closed" })}>Show closed alerts</a>
            <//>`
      }
    />
    ${
      action &&
      html`<${Action}
        name=${action.name}
        alerts=${action.alerts}
        meanwhile=${action.meanwhile}
        onClose=${() => setAction()}
        onDone=${done}
      />`
    }
  `;
}
