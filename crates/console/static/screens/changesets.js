// Change sets: writes that belong together, each undone as a whole.

import { quoted, terms } from "../api.js";
import { Empty, Time, count, html, personName } from "../elements.js";
import { Search, Since } from "../form.js";
import { useList } from "../hooks.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";
import { UndoDialog } from "../undodialog.js";

const COLUMNS = [
  {
    title: "Begun",
    main: true,
    cell: (row) => html`<${Time} at=${row.createdDate} />`,
    below: (row) => html`<span class="only-narrow">${personName(row.createdBy)}</span>`,
  },
  {
    title: "Name",
    class: "grow",
    cell: (row) => row.name || html`<span class="dim">${row.undoes ? "Undo" : "One request"}</span>`,
  },
  { title: "By", keep: 2, cell: (row) => personName(row.createdBy) || row.keyId },
  { title: "Requests", keep: 3, class: "number", cell: (row) => count(row.requests) },
  { title: "Objects", class: "number", cell: (row) => count(row.objects) },
];

/** The list, and the dialog of the set that is chosen. */
export function ChangeSets({ query }) {
  const [text, since] = ["q", "since"].map((name) => query.get(name) || "");
  const queryString = terms({ name: quoted(text), startDate: since });
  const list = useList("searchChangeSets", { queryString, pageSize: 100 });
  const chosen = query.get("set");
  return html`
    <div class="filters">
      <${Search}
        value=${text}
        onValue=${(value) => refine({ q: value })}
        label="Name of the change set contains"
        placeholder="Name of the change set contains…"
      />
      <${Since} value=${since} onValue=${(value) => refine({ since: value })} />
    </div>
    <${Rows}
      list=${list}
      columns=${withClient(COLUMNS)}
      label="Change sets"
      href=${(row) => link("audit", { view: "sets", q: text, since, set: row.id })}
      empty=${html`<${Empty} title="No change set matches." />`}
    />
    ${
      chosen &&
      html`<${UndoDialog} key=${chosen} id=${chosen} onClose=${() => refine({ set: "" })} onDone=${list.reload} />`
    }
  `;
}
