// A roster: who is on call, its coming days, overrides, swaps, requests for cover and calendar feeds.

import { call, may } from "../api.js";
import { Feeds, rosterFeeds } from "../calendarfeeds.js";
import { withMarks } from "../conflictmarks.js";
import { useDrag } from "../drag.js";
import { Button, Loading, Panel, Time, Trouble, html } from "../elements.js";
import { useAnswer, useState } from "../hooks.js";
import { Lanes } from "../lanes.js";
import { NowAndNext } from "../oncallpeople.js";
import { RecordPage, deleteAction } from "../records.js";
import { recordWords } from "../references.js";
import { RosterConflicts, useConflicts } from "../rosterconflicts.js";
import { OverrideDialog, SwapDialog } from "../rosterdialogs.js";
import { editRosterAction } from "../rosterform.js";
import { CoverRequests, Overrides } from "../rosterpanels.js";
import { Coverage, TimelineList, timelineLanes } from "../rostertimeline.js";
import { rotationWords } from "../rotation.js";
import { link, refine } from "../route.js";
import { scheduleWords } from "../shiftschedule.js";
import { DAY, midnight, wire } from "../time.js";

const RANGES = [7, 14, 28];

/** The coming days as lanes, or as a list on telephones. */
function Schedule({ roster, query, timeline, conflicts, from, to, days, drag, onMark }) {
  const offset = Number(query.get("offset") || 0);
  const move = (by) => refine({ offset: String(offset + by || "") });
  const found = timeline.data;
  return html`<${Panel}
    title="Schedule"
    id="schedule"
    actions=${html`
      <div class="choices" role="group" aria-label="Days">
        ${RANGES.map(
          (many) => html`<button
            type="button"
            aria-pressed=${many === days ? "true" : "false"}
            onClick=${() => refine({ days: String(many), offset: "" })}
          >
            ${many} days
          </button>`,
        )}
      </div>
      <${Button} onClick=${() => move(-1)} aria-label="Days before">←<//>
      ${offset !== 0 && html`<${Button} onClick=${() => move(-offset)}>Today<//>`}
      <${Button} onClick=${() => move(1)} aria-label="Days after">→<//>
    `}
  >
    <${Trouble} problem=${timeline.problem} again=${timeline.reload} />
    ${!found && !timeline.problem && html`<${Loading} />`}
    ${
      found &&
      html`
        <${Coverage} timeline=${found} />
        <div class="only-wide">
          <${Lanes}
            lanes=${withMarks(timelineLanes({ id: roster.id, name: "" }, found), conflicts, from, to)}
            onMark=${onMark}
            from=${from}
            to=${to}
            label="Schedule of the roster"
            drag=${drag}
          />
          ${drag && html`<p class="small dim">Drag across a period to take it over, or one person onto another to swap.</p>`}
        </div>
        <div class="only-small"><${TimelineList} timeline=${found} from=${from} to=${to} /></div>
      `
    }
  <//>`;
}

/** The panels below the details. */
function Panels({ roster, query, again }) {
  const [stamp, setStamp] = useState(0);
  const [override, setOverride] = useState(/** @type {any} */ (undefined));
  const [swap, setSwap] = useState(/** @type {any} */ (undefined));
  const days = RANGES.find((many) => String(many) === query.get("days")) || 14;
  const from = midnight(Date.now(), days * (Number(query.get("offset")) || 0));
  const to = midnight(from, days);
  const of = { rosterId: roster.id };
  const key = `${roster.id} ${roster.updatedTime} ${stamp}`;
  const board = useAnswer((signal) => call("getRosterOnCall", { ...of, signal }), key, 60e3);
  const timeline = useAnswer(
    (signal) => call("getRosterTimeline", { ...of, signal, query: { from: wire(from), to: wire(to) } }),
    `${key} ${from} ${days}`,
    120e3,
  );
  const conflicts = useConflicts({ from, to, stamp: key, roster: roster.id });
  const [wanted, setWanted] = useState(/** @type {any} */ (undefined));
  const fresh = () => {
    setStamp((before) => before + 1);
    again.reload();
  };
  const drag = useDrag({
    from,
    to,
    onRange: (lane, start, end) =>
      setOverride({ roster: roster.id, level: lane.levels > 1 ? lane.level : undefined, start, end }),
    onPair: (_, first, second) => setSwap({ roster: roster.id, first, second }),
  });
  const mayOverride = may("createRosterOverride");
  const entries = timeline.data?.entries || [];
  return html`
    <${Trouble} problem=${board.problem} again=${board.reload} />
    <${NowAndNext} board=${board} />
    <${Schedule}
      ...${{ roster, query, timeline, from, to, days }}
      conflicts=${conflicts.conflicts || []}
      drag=${mayOverride ? drag : undefined}
      onMark=${(one) => setWanted({ ...one })}
    />
    <${RosterConflicts} answer=${conflicts} wanted=${wanted} />
    <${Overrides}
      roster=${roster}
      stamp=${String(stamp)}
      onDone=${fresh}
      actions=${
        mayOverride &&
        html`
          <${Button}
            onClick=${() => setOverride({ roster: roster.id, start: Date.now(), end: Date.now() + DAY / 3 })}
          >
            New override…
          <//>
          ${entries.length > 0 && html`<${Button} onClick=${() => setSwap({ roster: roster.id })}>Swap…<//>`}
        `
      }
    />
    <${CoverRequests} roster=${roster} stamp=${String(stamp)} onDone=${fresh} />
    ${
      may("listRosterCalendars") &&
      html`<${Panel} title="Calendar feeds" id="feeds">
        <${Feeds} feeds=${rosterFeeds(roster.id)} note="Anyone who has it reads who is on call." />
      <//>`
    }
    ${
      override &&
      html`<${OverrideDialog}
        rosters=${[roster]}
        given=${override}
        onClose=${() => setOverride(undefined)}
        onDone=${fresh}
      />`
    }
    ${
      swap &&
      html`<${SwapDialog}
        plans=${[{ id: roster.id, name: roster.name, entries }]}
        given=${swap}
        onClose=${() => setSwap(undefined)}
        onDone=${fresh}
      />`
    }
  `;
}

const shiftWords = (shift) => {
  const people = [...(shift.users || []), ...(shift.userGroups || [])].map(recordWords).join(", ");
  const turns = shift.rotation?.order?.length ? rotationWords(shift.rotation) : "";
  return html`<div>
    <strong>${shift.name}</strong>${shift.level && ` (${shift.level})`}: ${scheduleWords(shift.schedule)};${" "}
    ${[turns, people].filter(Boolean).join("; always ") || "nobody"}
  </div>`;
};

export default function RosterScreen({ id, query }) {
  const path = { rosterId: id };
  const read = () => call("getRoster", path);
  return html`<${RecordPage}
    back=${["Rosters", link("rosters")]}
    of=${`roster ${id}`}
    read=${read}
    facts=${(roster) => [
      ["Description", roster.description],
      ["Time zone", roster.timeZone.label || roster.timeZone.name],
      ["Shifts", roster.shiftDetails.map(shiftWords)],
      [
        "Off hours",
        roster.offHours?.length &&
          roster.offHours.map((one) => html`<div>${one.name && `${one.name}: `}${scheduleWords(one.schedule)}</div>`),
      ],
      ["Changed", roster.updatedTime && html`<${Time} at=${roster.updatedTime} />`],
    ]}
    actions=${(roster, again) => [
      editRosterAction(roster, again),
      deleteAction(roster, again, {
        operation: "deleteRoster",
        path,
        what: `roster “${roster.name}”`,
        question: "Nobody is on call through it any more. Who was on call before stays in its history.",
      }),
    ]}
  >
    ${(roster, again) => html`<${Panels} roster=${roster} query=${query} again=${again} />`}
  <//>`;
}
