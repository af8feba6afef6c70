// What is wrong with the plans of the rosters in some days.

import { call } from "./api.js";
import { Badge, Button, Loading, Panel, Time, Trouble, html, personName } from "./elements.js";
import { useAnswer, useState } from "./hooks.js";
import { link } from "./route.js";
import { wire } from "./time.js";

/** How many are shown at first. */
const FEW = 8;

const WORDS = {
  gap: "gap",
  doubleBooking: "double booking",
  timeOff: "time off",
  rest: "too little rest",
  nights: "nights in a row",
};

/** @param {{roster: any, shift?: any}} one */
const shiftName = ({ roster, shift }) => (shift ? `${roster.name} · ${shift.name}` : roster.name);

/** The conflicts from one time to another. @param {{from: number, to: number, stamp: any}} given */
export function RosterConflicts({ from, to, stamp }) {
  const [all, setAll] = useState(false);
  const answer = useAnswer(
    (signal) => call("listRosterConflicts", { signal, query: { from: wire(from), to: wire(to) } }),
    `${from} ${to} ${stamp}`,
    300e3,
  );
  const found = answer.data?.results || [];
  return html`<${Panel} title="Conflicts" id="conflicts">
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    ${!answer.data && !answer.problem && html`<${Loading} />`}
    ${answer.data && !found.length && html`<p class="dim">There is none in these days.</p>`}
    <ul class="plain-list">
      ${(all ? found : found.slice(0, FEW)).map(
        (one) => html`<li>
          <${Badge} kind=${one.kind === "gap" ? "bad" : "warn"}>${WORDS[one.kind] || one.kind}<//>${" "}
          ${one.user && html`<strong>${personName(one.user)}</strong>${" · "}`}
          <a href=${link(["rosters", one.roster.id])}>${shiftName(one)}</a>
          ${one.others && html` and ${one.others.map(shiftName).join(", ")}`}
          <div class="small dim"><${Time} at=${one.from} /> to <${Time} at=${one.to} /></div>
        </li>`,
      )}
    </ul>
    ${
      found.length > FEW &&
      html`<${Button} onClick=${() => setAll(!all)}>${all ? "Show fewer" : `Show all ${found.length}`}<//>`
    }
  <//>`;
}
