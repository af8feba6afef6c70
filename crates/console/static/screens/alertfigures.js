// Figures of the alerts of a range: how many, how long it took, and which came back.

import { call, terms } from "../api.js";
import { SEVERITIES } from "../alertlist.js";
import { StackedBars } from "../barchart.js";
import { ExportDialog } from "../csvexport.js";
import { Button, Empty, Loading, Panel, Trouble, count, html } from "../elements.js";
import { Choice, Choices } from "../form.js";
import { useAnswer, useState } from "../hooks.js";
import { link, refine } from "../route.js";
import { SortTable, sorted } from "../sorttable.js";
import { span, wire } from "../time.js";

/**
 * What has a row each, by the word of `by`: its title, and where one is.
 * @type {Record<string, [string, (id: string) => string]>}
 */
const BY = {
  service: ["Service group", (id) => link(["groups", id])],
  owner: ["Owner", (id) => link(["usergroups", id])],
  roster: ["Roster", (id) => link(["rosters", id])],
  person: ["Person", (id) => link("people", { user: id })],
  resource: ["Machine", (id) => link(["resources", id])],
  route: ["Route", () => link("routing")],
};

/** The parts of a bar: what became of alerts. */
const KEYS = [
  ["Acknowledged", "green"],
  ["Closed without an acknowledgement", "amber"],
  ["Not acknowledged yet", "red"],
];

const nameOf = (row) => row.name || row.key;

/** Seconds in words. */
const took = (seconds) => (seconds === undefined ? "–" : span(seconds * 1000));

/** How many of a thing there were, and how long it took. */
const times = (id, group) => [
  { id, title: "Number", group, number: true, value: (row) => row[id].count },
  {
    id: `${id}50`,
    title: "Half within",
    group,
    number: true,
    value: (row) => row[id].p50,
    cell: (row) => took(row[id].p50),
  },
  {
    id: `${id}90`,
    title: "90 % within",
    group,
    number: true,
    value: (row) => row[id].p90,
    cell: (row) => took(row[id].p90),
  },
];

const number = (id, title) => ({ id, title, number: true, value: (row) => row[id], cell: (row) => count(row[id]) });

/** The problems that came back, the most frequent first. */
const Repeats = ({ repeats }) =>
  repeats.map(
    (one) => html`<div>${count(one.count)} × <a href=${link(["alerts", one.id])}>${one.subject || one.id}</a></div>`,
  );

/** @returns {import("../sorttable.js").SortColumn[]} */
const columnsOf = ([title, address]) => [
  { id: "name", title, value: nameOf, cell: (row) => html`<a href=${address(row.key)}>${nameOf(row)}</a>` },
  number("alerts", "Alerts"),
  number("pages", "Pages"),
  ...times("acknowledged", "Acknowledged"),
  ...times("closed", "Closed"),
  number("escalated", "Escalated"),
  number("noise", "Noise"),
  {
    id: "repeats",
    title: "Came back most",
    class: "repeats",
    falls: true,
    value: (row) => row.repeats.reduce((all, one) => all + one.count, 0) || undefined,
    cell: (row) => html`<${Repeats} repeats=${row.repeats} />`,
  },
];

/** The columns of the file: times in seconds. */
const FILE = [
  ["alerts", (row) => row.alerts],
  ["pages", (row) => row.pages],
  ...["acknowledged", "closed"].flatMap((one) => [
    [one, (row) => row[one].count],
    [`${one} p50 seconds`, (row) => row[one].p50],
    [`${one} p90 seconds`, (row) => row[one].p90],
  ]),
  ["escalated", (row) => row.escalated],
  ["noise", (row) => row.noise],
  ["repeats", (row) => row.repeats.map((one) => `${one.count} × ${one.subject}`).join("; ")],
];

/** The panel; `range` is what `rangeOf` answers, and `query` the filter of the address. */
export function AlertFigures({ range, query }) {
  const [saves, setSaves] = useState(false);
  const by = /** @type {any} */ (BY[query.get("by")] ? query.get("by") : "service");
  const state = query.get("state") || "";
  const sort = query.get("sort") || "-alerts";
  const asked = { from: wire(range.from), to: wire(range.to), by, queryString: terms({ state }) };
  const answer = useAnswer(
    (signal) => call("getAlertFigures", { signal, query: asked }),
    `figures ${JSON.stringify(asked)}`,
  );
  // While another answer is on its way, this is still the one before.
  const shown = BY[answer.data?.by || by];
  const columns = columnsOf(shown);
  const rows = sorted(answer.data?.results || [], columns, sort);
  const total = answer.data?.total || 0;
  return html`<${Panel}
    title="Alerts"
    id="alerts"
    actions=${rows.length > 0 && html`<${Button} onClick=${() => setSaves(true)}>Export alerts as CSV…<//>`}
  >
    <div class="filters">
      <${Choice}
        label="For each"
        value=${by}
        options=${Object.entries(BY).map(([word, [title]]) => [word, title])}
        onValue=${(value) => refine({ by: value })}
      />
      <${Choices} label="Severity" options=${SEVERITIES} value=${state} onValue=${(value) => refine({ state: value })} />
    </div>
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    ${!answer.data && !answer.problem && html`<${Loading} />`}
    ${
      answer.data &&
      html`<p class="dim" role="status">
        ${count(total)} ${total === 1 ? "alert" : "alerts"} in all; one may count in several rows, or in none.
        ${answer.data.truncated && ` The ${count(rows.length)} with most alerts are shown.`}
      </p>`
    }
    ${
      answer.data &&
      !rows.length &&
      html`<${Empty} title=${total ? `None of them has a ${shown[0].toLowerCase()}.` : "There were none."} />`
    }
    ${
      rows.length > 0 &&
      html`
        <${StackedBars}
          label=${`Alerts, ${range.words}, and what became of them`}
          keys=${KEYS}
          rows=${rows.map((row) => ({
            name: nameOf(row),
            values: [row.acknowledged.count, row.noise, Math.max(0, row.alerts - row.acknowledged.count - row.noise)],
          }))}
          write=${count}
        />
        <${SortTable} label="Figures of alerts" ...${{ columns, rows, sort }} onSort=${(value) => refine({ sort: value })} />
      `
    }
    ${
      saves &&
      html`<${ExportDialog}
        title=${`Alerts, ${range.words}`}
        file=${`alerts-${range.first}-${range.last}-${by}.csv`}
        columns=${[["id", (row) => row.key], [shown[0], (row) => row.name], ...FILE]}
        read=${(_, signal) => call("getAlertFigures", { signal, query: asked })}
        onClose=${() => setSaves(false)}
      />`
    }
  <//>`;
}
