// Pages: the log of what was sent to whom, and what could not be.

import { terms } from "../api.js";
import { Badge, Empty, Head, Time, html, personName } from "../elements.js";
import { Choices } from "../form.js";
import { useList } from "../hooks.js";
import { Picker } from "../picker.js";
import { useNames } from "../responders.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";

const STATUSES = ["pending", "sent", "failed", "stopped", "summarised", "gap"];

const KINDS = { sent: "good", failed: "bad", gap: "warn", pending: "info" };

/** What the kinds of pages that are about no alert are about. */
const ABOUT = { code: "Code of a contact method", test: "Test", shift: "Beginning of a shift" };

const POLL = 15e3;

const subjectOf = (page) =>
  page.alert?.subject || page.incident?.subject || page.alert?.id || page.incident?.id || ABOUT[page.kind] || page.kind;

/** The address of what a page is about. */
function addressOf(page) {
  if (page.alert) return link(["alerts", page.alert.id]);
  return page.incident ? link(["incidents", page.incident.id]) : link("pages", { page: page.id });
}

const attemptWords = (attempt) => attempt.error || (attempt.status ? `answered ${attempt.status}` : "delivered");

/** Every attempt to send a page. */
function Attempts({ page }) {
  const { attempts } = page;
  if (!attempts.length) return page.why ? html`<div class="dim">${page.why}</div>` : null;
  return html`<details>
    <summary>${attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`}${page.why && `: ${page.why}`}</summary>
    <ol class="plain-list">
      ${attempts.map(
        (attempt) => html`<li><${Time} at=${attempt.time} /> ${attemptWords(attempt)}, ${attempt.durationMs} ms</li>`,
      )}
    </ol>
  </details>`;
}

export default function Pages({ query }) {
  const [person, alert, status, page] = ["person", "alert", "status", "page"].map((name) => query.get(name) || "");
  const list = useList(
    "searchPages",
    { queryString: terms({ id: page, userId: person, alertId: alert, status }), pageSize: 50 },
    {},
    POLL,
  );
  const names = useNames();
  const who = (row) =>
    row.user
      ? personName(row.user)
      : row.integration
        ? names.get(row.integration.id) || "an integration"
        : names.get(row.target) || row.target;
  const filtered = person || alert || status || page;
  const columns = [
    { title: "Time", cell: (row) => html`<${Time} at=${row.createdDate} />`, class: "narrow" },
    {
      title: "Subject",
      main: true,
      class: "grow",
      cell: subjectOf,
      below: (row) => html`
        <span class="only-narrow">${who(row)} · ${row.status}</span>
        <${Attempts} page=${row} />
      `,
    },
    { title: "To", keep: 2, cell: who },
    {
      title: "Status",
      keep: 2,
      cell: (row) => html`<${Badge} kind=${KINDS[row.status] || "quiet"}>${row.status}<//>`,
    },
    { title: "By", keep: 2, cell: (row) => row.contactMethod?.type.toLowerCase() || "" },
    { title: "Step", keep: 3, cell: (row) => row.step && `${row.step}${row.round > 1 ? `, round ${row.round}` : ""}` },
    { title: "Urgency", keep: 3, cell: (row) => row.urgency },
  ];
  return html`
    <${Head} title="Pages">What was sent to whom, and what could not be.<//>
    <div class="filters">
      <${Picker}
        field=${{ type: "object", refers: "user" }}
        label="Person"
        within=${{ clients: true }}
        value=${person && { id: person, name: names.get(person) || person }}
        onValue=${(chosen) => refine({ person: chosen?.id || "" })}
        errors=${[]}
      />
      <${Choices} label="Status" options=${STATUSES} value=${status} onValue=${(value) => refine({ status: value })} />
      ${
        alert &&
        html`<span>
          For <a href=${link(["alerts", alert])}>${list.rows?.[0]?.alert?.subject || "one alert"}</a>${" "}
          <button type="button" class="link" onClick=${() => refine({ alert: "" })}>All alerts</button>
        </span>`
      }
      ${filtered && html`<a href=${link("pages")}>Clear</a>`}
    </div>
    <${Rows}
      list=${list}
      label="Pages"
      columns=${withClient(columns)}
      href=${addressOf}
      also=${String(names.size)}
      empty=${
        filtered
          ? html`<${Empty} title="No page matches."><a href=${link("pages")}>Show all pages</a><//>`
          : html`<${Empty} title="No pages yet.">People are notified by escalation policies.<//>`
      }
    />
  `;
}
