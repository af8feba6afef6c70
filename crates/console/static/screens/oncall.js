// On call: now, next, and the next fourteen days of all rosters.

import { call, may } from "../api.js";
import { withMarks } from "../conflictmarks.js";
import { useDrag } from "../drag.js";
import { Button, Empty, Head, Loading, Panel, Time, Trouble, html, personName } from "../elements.js";
import { Search } from "../form.js";
import { useAnswer, useMemo, useState } from "../hooks.js";
import { Lanes } from "../lanes.js";
import { MyShifts } from "../myshifts.js";
import { NowAndNext } from "../oncallpeople.js";
import { RosterConflicts, useConflicts } from "../rosterconflicts.js";
import { OverrideDialog, SwapDialog } from "../rosterdialogs.js";
import { timelineLanes } from "../rostertimeline.js";
import { go, link, refine } from "../route.js";
import { DAY, midnight, millis, span, wire } from "../time.js";
import { attempt } from "../toast.js";

const DAYS = 14;
/** From this many rosters on there is a search. */
const MANY = 8;

/** The overrides of the days that are shown, each once, as the timelines have them. */
function overridesOf(rosters) {
  const found = new Map();
  for (const { roster, entries } of rosters)
    for (const entry of entries.filter((one) => one.override && millis(one.end) > Date.now())) {
      const { id } = entry.override;
      const one = found.get(id) || { id, roster, note: entry.override.note, users: entry.users, shifts: [], ...entry };
      const shift = entry.shift?.name || "";
      const shifts = one.shifts.includes(shift) ? one.shifts : [...one.shifts, shift];
      found.set(id, { ...one, shifts, end: millis(entry.end) > millis(one.end) ? entry.end : one.end });
    }
  return [...found.values()];
}

/** The overrides of the rosters that are not over, and a way to take them back. */
function Overrides({ rosters, from, to, onDone }) {
  const remove = async ({ roster, id }) => {
    await attempt("Override deleted.", () => call("deleteRosterOverride", { rosterId: roster.id, overrideId: id }));
    // Where that was refused, it is not as it was shown.
    onDone();
  };
  return html`<ul class="overrides">
    ${overridesOf(rosters).map((one) => {
      const whole = one.shifts.length > 1 || !one.shifts[0];
      return html`<li key=${one.id}>
        <strong>${one.users.map(personName).join(", ") || "Nobody"}</strong> takes ${whole ? "all" : one.shifts[0]} of${" "}
        ${one.roster.name},${" "}
        ${millis(one.start) <= from ? "since before" : html`<${Time} at=${one.start} />`} to${" "}
        ${millis(one.end) >= to ? "after these days" : html`<${Time} at=${one.end} />`}
        ${one.note && ` · ${one.note}`}
        ${
          may("deleteRosterOverride") &&
          html` <button type="button" class="link" onClick=${() => remove(one)}>Take back</button>`
        }
      </li>`;
    })}
  </ul>`;
}

/** The lanes of all rosters, and what leaves nobody on call. */
function Plan({ data, conflicts, from, to, drag, onDone, onMark }) {
  const { rosters, gaps } = data;
  // While somebody drags, the lanes stay the same.
  const lanes = useMemo(() => {
    const all = rosters.flatMap((one) => timelineLanes(one.roster, one));
    return withMarks(all, conflicts || [], from, to);
  }, [data, conflicts, from, to]);
  return html`
    <p class=${gaps.length ? "gaps" : "dim"}>
      ${
        gaps.length
          ? html`
              ${gaps.length === 1 ? "One gap" : `${gaps.length} gaps`} in which nobody is on call, the first${" "}
              <${Time} at=${gaps[0].start} /> for ${span(millis(gaps[0].end) - millis(gaps[0].start))}.
            `
          : "Somebody is on call all the time."
      }
    </p>
    <${Lanes} lanes=${lanes} from=${from} to=${to} label="On-call schedule" drag=${drag} onMark=${onMark} />
    ${
      drag &&
      html`<p class="small dim only-wide">
        Drag across a period to take it over, or drag one person onto another to swap.
      </p>`
    }
    <${Overrides} ...${{ rosters, from, to, onDone }} />
  `;
}

export default function OnCall({ query }) {
  const offset = Math.max(-26, Math.min(26, Number.parseInt(query.get("fortnight") || "0", 10) || 0));
  const name = query.get("q") || "";
  const [stamp, setStamp] = useState(0);
  const [override, setOverride] = useState(/** @type {any} */ (undefined));
  const [swap, setSwap] = useState(/** @type {any} */ (undefined));
  const from = midnight(Date.now(), offset * DAYS);
  const to = midnight(from, DAYS);
  const board = useAnswer((signal) => call("getOnCall", { signal }), `board ${stamp}`, 30e3);
  const plan = useAnswer(
    (signal) =>
      call("getRosterTimelines", { signal, query: { from: wire(from), to: wire(to), name: name || undefined } }),
    `plan ${offset} ${name} ${stamp}`,
    120e3,
  );
  const conflicts = useConflicts({ from, to, stamp });
  const [wanted, setWanted] = useState(/** @type {any} */ (undefined));
  const found = plan.data?.rosters || [];
  const rosters = found.map((one) => one.roster);
  const drag = useDrag({
    from,
    to,
    onRange: (lane, start, end) =>
      setOverride({ roster: lane.roster, level: lane.levels > 1 ? lane.level : undefined, start, end }),
    onPair: (lane, first, second) => setSwap({ roster: lane.roster, first, second }),
  });
  const fresh = () => setStamp((before) => before + 1);
  const mayOverride = may("createRosterOverride");
  const isEmpty = plan.data && !found.length && !name;
  return html`
    <${Head}
      title="On call"
      actions=${html`
        ${
          mayOverride &&
          rosters.length > 0 &&
          html`
            <${Button} kind="primary" onClick=${() => setOverride({ start: Date.now(), end: Date.now() + DAY / 3 })}>
              Take over…
            <//>
            <${Button} onClick=${() => setSwap({})}>Swap…<//>
          `
        }
        ${
          may("createRoster") &&
          html`<${Button} kind=${isEmpty ? "primary" : ""} onClick=${() => go(link("rosters", { new: "1" }))}>
            New roster
          <//>`
        }
      `}
    />
    <${Trouble} problem=${board.problem} again=${board.reload} />
    <${NowAndNext} board=${board} />
    <${Panel}
      title=${offset ? "Fourteen days" : "The next fourteen days"}
      id="lanes"
      actions=${html`
        ${
          (found.length >= MANY || name) &&
          html`<${Search}
            value=${name}
            onValue=${(q) => refine({ q })}
            label="Search rosters by name"
            placeholder="Search rosters by name"
          />`
        }
        <${Button} onClick=${() => refine({ fortnight: String(offset - 1 || "") })} aria-label="Fourteen days before">
          ←
        <//>
        ${offset !== 0 && html`<${Button} onClick=${() => refine({ fortnight: "" })}>Today<//>`}
        <${Button} onClick=${() => refine({ fortnight: String(offset + 1 || "") })} aria-label="Fourteen days after">
          →
        <//>
      `}
    >
      <${Trouble} problem=${plan.problem} again=${plan.reload} />
      ${!plan.data && !plan.problem && html`<${Loading} />`}
      ${
        plan.data &&
        (found.length
          ? html`<${Plan}
              data=${plan.data}
              conflicts=${conflicts.conflicts}
              onMark=${(one) => setWanted({ ...one })}
              from=${from}
              to=${to}
              drag=${mayOverride ? drag : undefined}
              onDone=${fresh}
            />`
          : html`<${Empty} title=${name ? "No roster has such a name." : "There is no roster yet."}>
              A roster says who is on call when, and whom alerts reach.
            <//>`)
      }
    <//>
    ${found.length > 0 && html`<${RosterConflicts} answer=${conflicts} wanted=${wanted} />`}
    <${MyShifts} stamp=${stamp} />
    <p><a href=${link(["settings"])}>Add time off in Settings</a></p>
    ${
      override &&
      html`<${OverrideDialog} rosters=${rosters} given=${override} onClose=${() => setOverride(undefined)} onDone=${fresh} />`
    }
    ${
      swap &&
      html`<${SwapDialog}
        plans=${found.map(({ roster, entries }) => ({ ...roster, entries }))}
        given=${swap}
        onClose=${() => setSwap(undefined)}
        onDone=${fresh}
      />`
    }
  `;
}
