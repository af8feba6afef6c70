// Rosters: who is on call when, by shifts in which people take turns.

import { may } from "../api.js";
import { AllCalendars } from "../calendarfeeds.js";
import { Empty, html } from "../elements.js";
import { useEffect, useState } from "../hooks.js";
import { ActionDialog } from "../recordactions.js";
import { RecordList } from "../records.js";
import { newRosterAction } from "../rosterform.js";
import { MonthHours } from "../rosterhours.js";
import { go, link, refine } from "../route.js";
import { say } from "../toast.js";

const shiftsOf = (roster) => roster.shiftDetails?.map((shift) => shift.name).join(", ");

const KIND = {
  title: "Rosters",
  path: "rosters",
  list: /** @type {const} */ ("searchRosters"),
  clients: true,
  search: "name",
  columns: [
    { title: "Name", cell: (roster) => roster.name, class: "grow" },
    { title: "Shifts", cell: shiftsOf, keep: 2 },
    { title: "Time zone", cell: (roster) => roster.timeZone?.name, keep: 2 },
    { title: "Description", cell: (roster) => roster.description, keep: 3 },
  ],
  id: (roster) => String(roster.id),
  actions: () => [newRosterAction((roster) => go(link(["rosters", roster.id])))],
  empty: html`<${Empty} title="There is no roster here.">A roster says who is on call when.<//>`,
};

export default function Rosters({ query }) {
  const wanted = Boolean(query.get("new")) && may("createRoster");
  // The heading takes the focus first, and the form then.
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(wanted), [wanted]);
  const made = (roster) => {
    say("Created.");
    go(link(["rosters", roster.id]));
  };
  // What comes after a list is moved while the list loads, and a dialog that is moved closes.
  return html`
    <div>
      ${
        open &&
        html`<${ActionDialog} action=${newRosterAction(made)} onClose=${() => refine({ new: "" })} onDone=${made} />`
      }
    </div>
    <${RecordList} kind=${KIND} query=${query}>${may("listCalendars") && html`<${AllCalendars} />`}<//>
    <div>${may("getRosterHours") && html`<${MonthHours} />`}</div>
  `;
}
