// Jobs: what runs when.

import { may, quoted, terms } from "../api.js";
import { labelOf } from "../bodyschema.js";
import { Button, Empty, Head, Time, html, personName } from "../elements.js";
import { Search } from "../form.js";
import { useList, useState } from "../hooks.js";
import { RecordActions } from "../recordactions.js";
import { go, link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";
import { NewJob, useRunAction } from "./jobform.js";
import { repeatOf, repeatWords, scheduleOf } from "./jobschedule.js";
import { NEW_SCRIPT } from "./scripts.js";

export default function Jobs({ query }) {
  const name = query.get("name") || "";
  const [making, setMaking] = useState(false);
  const { run, conflict } = useRunAction();
  const list = useList(
    "searchJobs",
    { queryString: terms({ name: quoted(name) }), pageSize: 100, sortName: "name", isDescendingOrder: "false" },
    {},
    30e3,
  );
  const next = (row) =>
    row.active
      ? html`<${Time} at=${row.nextRun} />`
      : html`<span class="dim">${repeatOf(row.schedule) === "never" ? "by hand" : "paused"}</span>`;
  const columns = [
    {
      title: "Name",
      main: true,
      class: "grow",
      cell: (row) => row.name,
      below: (row) => html`
        <span class="dim">
          ${row.description || row.script?.customScript?.name || labelOf(row.script?.jobType || "script")}
        </span>
        <span class="only-narrow"> · ${next(row)}</span>
      `,
    },
    { title: "Repeats", keep: 2, cell: (row) => repeatWords(scheduleOf(row)) },
    { title: "Next run", keep: 2, cell: next },
    { title: "Changed by", keep: 3, cell: (row) => personName(row.updatedBy) },
  ];
  const runs = {
    title: "",
    cell: (row) =>
      may("runJob") &&
      html`<${Button}
        onClick=${() => run(row, `Run requested: “${row.name}”.`)}
        aria-label=${`Run now: ${row.name}`}
      >
        Run now
      <//>`,
  };
  return html`
    <${Head}
      title="Jobs"
      actions=${html`
        ${may("createJob") && html`<${Button} kind="primary" onClick=${() => setMaking(true)}>New job…<//>`}
        <${RecordActions} actions=${[{ ...NEW_SCRIPT, primary: false }]} onDone=${() => {}} />
      `}
    />
    <div class="filters">
      <${Search}
        value=${name}
        onValue=${(text) => refine({ name: text })}
        label="Name contains"
        placeholder="Name contains…"
      />
    </div>
    <${Rows}
      list=${list}
      columns=${[...withClient(columns), runs]}
      label="Jobs"
      href=${(row) => link(["jobs", row.id])}
      empty=${
        name
          ? html`<${Empty} title="No job matches." />`
          : html`<${Empty} title="There is no job yet.">A job runs a script on machines, once or on a schedule.<//>`
      }
    />
    ${conflict}
    ${making && html`<${NewJob} onClose=${() => setMaking(false)} onDone=${(job) => go(link(["jobs", job.id]))} />`}
  `;
}
