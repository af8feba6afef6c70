// Alerts: a live board. What is shown is in the address.

import { may, quoted, terms } from "../api.js";
import { useFigures, useHours } from "../alertcounts.js";
import { useAlerts } from "../alertlist.js";
import { useChangeStream } from "../changestream.js";
import { Button, Empty, Head, State, Time, Trouble, count, html } from "../elements.js";
import { Choices, Search } from "../form.js";
import { useChosen, useMemo, useState } from "../hooks.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";
import { full, millis, short, wire } from "../time.js";
import { Action, acknowledge } from "./alertactions.js";
import { BULK_ACTIONS, BulkDialog } from "./alertbulk.js";
import { AlertChart } from "./alertchart.js";

const STATUSES = ["New", "Acknowledged", "Suppressed", "Closed"];
const STATES = ["Critical", "Warning", "Info", "Ok"];

/** How often all is read again, in milliseconds: where the stream of changes is open it says what changed. */
const EVERY = 15e3;
const EVERY_LIVE = 300e3;

const NO_ROWS = /** @type {any[]} */ ([]);

/** The operations of the actions on all that match. */
const NEEDS = { acknowledge: "acknowledgeAlert", suppress: "suppressAlert", close: "closeAlert" };

const COLUMNS = [
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
        ${row.device?.hostName || row.device?.name} · ${row.sending ? "sending…" : row.status} ·${" "}
        <${Time} at=${row.alertTime} ago=${true} />
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
  {
    title: "Status",
    keep: 2,
    cell: (row) => (row.sending ? html`<span class="dim">sending…</span>` : html`<${State} of=${row.status} />`),
  },
  { title: "By", keep: 3, cell: (row) => row.acknowledgement?.by?.loginName || row.closure?.by?.loginName || "" },
  { title: "Reports", keep: 3, class: "number", cell: (row) => row.repeatCount },
  { title: "Last report", keep: 2, cell: (row) => html`<${Time} at=${row.alertTime} ago=${true} />` },
];

/** What the address limits the board to. */
function boardFrom(query) {
  const status = query.has("status") ? query.get("status") : "New,Acknowledged";
  const [state, subject, host, from, to] = ["state", "subject", "host", "from", "to"].map(
    (name) => query.get(name) || "",
  );
  const names = { subject: quoted(subject), hostName: quoted(host) };
  /** @type {Record<string, string>} */
  const time = from && to ? { startDate: from, endDate: wire(millis(to) - 1000) } : {};
  const pairs = { status: status === "any" ? "" : status, ...names, ...time };
  return { status, state, subject, host, from, to, names, pairs, order: query.get("sort") || "" };
}

/** The rows that are chosen, or all that match, and what can be done with them. */
function Selection({ chosen, rows, total, whole, onWhole, onClear, onAcknowledge, onAction, onBulk }) {
  if (!chosen.length) return null;
  const all = chosen.length === rows.length && total > rows.length;
  const actions = Object.entries(BULK_ACTIONS).filter(([action]) => may(NEEDS[action]));
  return html`<div class="chosen-bar" role="region" aria-label="Selection">
    ${
      whole
        ? html`
            <strong>All ${count(total)} that match</strong>
            ${actions.map(([action, [verb]]) => html`<${Button} onClick=${() => onBulk(action)}>${verb} all…<//>`)}
          `
        : html`
            <strong>${count(chosen.length)} selected</strong>
            ${may("acknowledgeAlert") && html`<${Button} kind="primary" onClick=${onAcknowledge}>Acknowledge<//>`}
            ${may("suppressAlert") && html`<${Button} onClick=${() => onAction("suppressAlert")}>Suppress…<//>`}
            ${may("closeAlert") && html`<${Button} onClick=${() => onAction("closeAlert")}>Close…<//>`}
            ${all && html`<${Button} onClick=${onWhole}>Select all ${count(total)} that match<//>`}
          `
    }
    <button type="button" class="link" onClick=${onClear}>Clear selection</button>
  </div>`;
}

export default function Alerts({ query }) {
  const { status, state, subject, host, from, to, names, pairs, order } = boardFrom(query);
  const filter = terms({ ...pairs, state });
  const [poll, setPoll] = useState(EVERY);
  const list = useAlerts({ pairs, states: state ? state.split(",") : [], order }, poll);
  const figures = useFigures(filter, poll);
  const chart = useHours(names, poll);
  const refresh = (ids) => {
    list.refresh(ids);
    figures.refresh();
    chart.refresh();
  };
  const live = useChangeStream(["ALERT"], refresh);
  if (poll !== (live ? EVERY_LIVE : EVERY)) setPoll(live ? EVERY_LIVE : EVERY);
  const select = useChosen();
  const [whole, setWhole] = useState(false);
  const [bulk, setBulk] = useState("");
  /** @type {[{name: string, alerts: any[], meanwhile?: [any, any][]} | undefined, (action?: any) => void]} */
  const [action, setAction] = useState();
  const rows = list.rows || NO_ROWS;
  const chosen = useMemo(
    () => (select.chosen.size ? rows.filter((row) => select.chosen.has(row.id)) : []),
    [rows, select.version],
  );
  const total = figures.total ?? rows.length;
  const clear = () => {
    select.clear();
    setWhole(false);
  };
  const done = () => {
    refresh(new Set(chosen.map((row) => row.id)));
    clear();
  };
  const ask = (meanwhile) =>
    setAction({ name: "acknowledgeAlert", alerts: meanwhile.map(([alert]) => alert), meanwhile });
  const then = { onDone: done, list, ask };
  const keys = {};
  if (may("acknowledgeAlert"))
    keys.a = (row) => {
      if (whole) setBulk("acknowledge");
      else if (chosen.length || row) acknowledge(chosen.length ? chosen : [row], then);
    };
  keys.x = (row) => {
    setWhole(false);
    if (row) select.toggle(row.id);
  };
  const filtered = subject || host || state || from || query.has("status");
  return html`
    <${Head}
      title="Alerts"
      actions=${html`<span
        class="live"
        title=${live ? "Updated as alerts change" : `Refreshed every ${EVERY / 1000} seconds while the page is visible`}
      >
        <span class=${list.problem ? "dot off" : "dot"} aria-hidden="true"></span> ${list.problem ? "not live" : "live"}
      </span>`}
    >
      ${
        figures.critical !== undefined &&
        html`<strong class=${figures.critical ? "bad-text" : ""}>${count(figures.critical)} critical</strong> ·${" "}
          <strong>${count(figures.unacknowledged)} unacknowledged</strong>`
      }
    <//>
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
        value=${host}
        onChange=${(event) => refine({ host: event.target.value.trim() })}
      />
      <${Choices}
        label="Status"
        options=${STATUSES}
        value=${status === "any" ? "" : status}
        onValue=${(value) => refine({ status: value || "any" })}
      />
      <${Choices} label="State" options=${STATES} value=${state} onValue=${(value) => refine({ state: value })} />
      <select aria-label="Order" onChange=${(event) => refine({ sort: event.target.value })}>
        <option value="" selected=${!order}>Newest first</option>
        <option value="severity" selected=${order === "severity"}>Worst first, then oldest</option>
      </select>
      ${
        from &&
        html`<button type="button" class="link" title=${full(millis(from))} onClick=${() => refine({ from: "", to: "" })}>
          ${short(millis(from))} to ${short(millis(to))} ✕
        </button>`
      }
      ${filtered && html`<a href=${link("alerts")}>Clear</a>`}
    </div>
    <${Trouble} problem=${figures.problem || chart.problem} again=${() => [figures.reload(), chart.reload()]} />
    ${chart.there && html`<${AlertChart} hours=${chart.hours} query=${query} from=${millis(from)} to=${millis(to)} />`}
    <${Selection}
      ...${{ chosen, rows, total, whole }}
      onWhole=${() => setWhole(true)}
      onClear=${clear}
      onAcknowledge=${() => acknowledge(chosen, then)}
      onAction=${(name) => setAction({ name, alerts: chosen })}
      onBulk=${setBulk}
    />
    <${Rows}
      list=${{ ...list, total }}
      columns=${withClient(COLUMNS)}
      label="Alerts"
      href=${(row) => link(["alerts", row.id])}
      kind=${(row) => `sev-${row.currentState}`}
      select=${
        may("acknowledgeAlert")
          ? {
              ...select,
              toggle: (id) => [setWhole(false), select.toggle(id)],
              set: (ids) => [setWhole(false), select.set(ids)],
            }
          : undefined
      }
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
    ${
      bulk &&
      html`<${BulkDialog}
        action=${bulk}
        filter=${filter}
        total=${total}
        onClose=${() => setBulk("")}
        onDone=${() => {
          clear();
          list.refresh(undefined);
          figures.reload();
          chart.reload();
        }}
      />`
    }
  `;
}
