// What is wrong with the plans of the rosters in some days.

import { call } from "./api.js";
import { WORDS, shiftName } from "./conflictmarks.js";
import { Badge, Button, Loading, Panel, Time, Trouble, html, personName } from "./elements.js";
import { useAnswer, useEffect, useRef, useState } from "./hooks.js";
import { link } from "./route.js";
import { wire } from "./time.js";

/** How many are shown at first. */
const FEW = 8;

/** The conflicts from one time to another, of all rosters or of one. */
export function useConflicts({ from, to, stamp, roster = "" }) {
  const answer = useAnswer(
    (signal) => call("listRosterConflicts", { signal, query: { from: wire(from), to: wire(to) } }),
    `${from} ${to} ${stamp}`,
    300e3,
  );
  const isOf = (one) => [one, ...(one.others || [])].some((shift) => shift.roster.id === roster);
  const all = answer.data?.results;
  return { ...answer, conflicts: roster ? all?.filter(isOf) : all };
}

/**
 * The list of conflicts; `answer` is what `useConflicts` answers. The one that is `wanted`, by a mark on a lane, takes
 * the focus.
 */
export function RosterConflicts({ answer, wanted = /** @type {any} */ (undefined) }) {
  const [all, setAll] = useState(false);
  const place = useRef(null);
  const found = answer.conflicts || [];
  const isWanted = ({ kind, from, to, roster, user }) =>
    wanted &&
    [kind, from, to, roster.id, user?.id].join() ===
      [wanted.kind, wanted.from, wanted.to, wanted.roster.id, wanted.user?.id].join();
  useEffect(() => {
    if (!wanted) return;
    setAll(true);
    // The rows behind the first ones are drawn by then.
    setTimeout(() => place.current?.querySelector("[tabindex]")?.focus());
  }, [wanted]);
  return html`<${Panel} title="Conflicts" id="conflicts">
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    ${!answer.data && !answer.problem && html`<${Loading} />`}
    ${answer.data && !found.length && html`<p class="dim">There is none in these days.</p>`}
    <ul class="plain-list" ref=${place}>
      ${(all ? found : found.slice(0, FEW)).map(
        (one) => html`<li tabindex=${isWanted(one) ? "-1" : undefined}>
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
