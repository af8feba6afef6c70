// On call: now, next, and the next fourteen days of each roster.

import { call, may } from "../api.js";
import { FormDialog } from "../dialog.js";
import { useDrag } from "../drag.js";
import { Button, Empty, Head, Loading, Panel, Time, Trouble, html, personName } from "../elements.js";
import { Field } from "../form.js";
import { useAnswer, useState } from "../hooks.js";
import { COLOURS, Lanes } from "../lanes.js";
import { refine } from "../route.js";
import { DAY, fromInput, full, midnight, millis, span, toInput, wire } from "../time.js";
import { attempt } from "../toast.js";

const DAYS = 14;

/** Who is on call, and how to reach them. */
function Person({ entry, now }) {
  const { user } = entry;
  const number = user.mobileNumber || user.phoneNumber;
  return html`<li class="person">
    <div class="who">
      <strong>${personName(user)}</strong>
      ${entry.reason === "override" && html` <span class="badge info">override</span>`}
    </div>
    <div class="dim">${entry.roster.name} · ${entry.shift?.name || "whole roster"}</div>
    <div class="small">
      ${now ? "until" : "from"} <${Time} at=${now ? entry.until : entry.since} />${" "}
      <span class="dim">(<${Time} at=${now ? entry.until : entry.since} ago=${true} />)</span>
    </div>
    <div class="reach">
      ${number && html`<a href=${`tel:${number.replace(/[^+\d]/g, "")}`}>${number}</a>`}
      ${user.email && html`<a href=${`mailto:${user.email}`}>${user.email}</a>`}
    </div>
  </li>`;
}

function Override({ rosters, given, onClose, onDone }) {
  const people = useAnswer(
    (signal) => call("searchUsers", { signal, query: { pageSize: 1000, sortName: "loginName" } }),
    "people",
  );
  const send = async (values) => {
    const body = {
      user: { id: values.user },
      start: fromInput(values.start),
      end: fromInput(values.end),
      note: values.note || undefined,
    };
    await call("createRosterOverride", { rosterId: values.roster, body });
    onDone();
  };
  // What was marked on a lane is not what was typed before.
  return html`<${FormDialog}
    title="New override"
    send="Take over"
    onSend=${send}
    onClose=${onClose}
    keep=${given.roster ? undefined : "override"}
  >
    ${(problem) => html`
      <${Trouble} problem=${people.problem} />
      <${Field} as="select" name="roster" label="Roster" problem=${problem} required>
        ${rosters.map(
          (roster) => html`<option value=${roster.id} selected=${roster.id === given.roster}>${roster.name}</option>`,
        )}
      <//>
      <${Field} as="select" name="user" label="Person" problem=${problem} required>
        ${(people.data?.results || [])
          .filter((user) => user.activated)
          .map((user) => html`<option value=${user.id}>${personName(user)}</option>`)}
      <//>
      <${Field}
        type="datetime-local"
        name="start"
        label="From"
        problem=${problem}
        value=${toInput(given.start)}
        required
      />
      <${Field} type="datetime-local" name="end" label="To" problem=${problem} value=${toInput(given.end)} required />
      <${Field} name="note" label="Note" problem=${problem} wide hint="Times are in your time zone." />
    `}
  <//>`;
}

/**
 * What two people have, one in each other's place. `given` is the roster, and the times that were dropped on each
 * other.
 */
function Swap({ lanes, given, onClose, onDone }) {
  const [roster, setRoster] = useState(given.roster || lanes[0].id);
  const now = Date.now();
  // A stretch of time for each person; what is under way is swapped from now on.
  const stretches = lanes
    .find((lane) => lane.id === roster)
    .parts.flatMap((part) => (part.users || []).map((user) => ({ ...part, user })))
    .filter((part) => millis(part.end) > now);
  const chosen = (part) =>
    Math.max(
      0,
      stretches.findIndex((one) => one.start === part?.start && one.end === part?.end),
    );
  const half = (part) => ({
    user: { id: part.user.id },
    start: wire(Math.max(millis(part.start), now)),
    end: part.end,
  });
  const send = async (values) => {
    const [first, second] = [stretches[values.first], stretches[values.second]];
    const shift = first.shift?.id === second.shift?.id ? first.shift : undefined;
    await call("createRosterSwap", {
      rosterId: roster,
      body: {
        first: half(first),
        second: half(second),
        shift: shift && { id: shift.id },
        note: values.note || undefined,
      },
    });
    onDone();
  };
  const pick = (name, label, place, problem) => html`<${Field}
    as="select"
    name=${name}
    label=${label}
    problem=${problem}
    required
    wide
    key=${`${name} ${roster}`}
  >
    ${stretches.map(
      (part, at) => html`<option value=${at} selected=${at === place}>
        ${personName(part.user)}, ${full(millis(part.start))} to ${full(millis(part.end))}
      </option>`,
    )}
  <//>`;
  return html`<${FormDialog} title="Swap shifts" send="Swap" onSend=${send} onClose=${onClose} wide=${true}>
    ${(problem) => html`
      <${Field}
        as="select"
        name="roster"
        label="Roster"
        problem=${problem}
        onChange=${(event) => setRoster(event.target.value)}
      >
        ${lanes.map((lane) => html`<option value=${lane.id} selected=${lane.id === roster}>${lane.name}</option>`)}
      <//>
      ${pick("first", "First shift", chosen(given.first), problem)}
      ${pick("second", "Second shift", given.second ? chosen(given.second) : 1, problem)}
      <${Field} name="note" label="Note" problem=${problem} wide hint="Each person takes the other's shift." />
    `}
  <//>`;
}

/** The overrides of a roster that are not over, and a way to take them back. */
function Overrides({ roster, from, stamp, onDone }) {
  const list = useAnswer(
    (signal) => call("listRosterOverrides", { rosterId: roster.id, signal, query: { from: wire(from), pageSize: 20 } }),
    `${roster.id} ${stamp}`,
  );
  const remove = async (override) => {
    await attempt("Override deleted.", () =>
      call("deleteRosterOverride", { rosterId: roster.id, overrideId: override.id }),
    );
    // Where that was refused, it is not as it was shown.
    onDone();
  };
  const rest = (list.data?.results || []).filter((override) => millis(override.end) > Math.max(from, Date.now()));
  return rest.map(
    (override) => html`<li key=${override.id}>
      <strong>${personName(override.user)}</strong> takes ${override.shift?.name || "all"} of ${roster.name},${" "}
      <${Time} at=${override.start} /> to <${Time} at=${override.end} />
      ${override.note && ` · ${override.note}`}
      ${
        may("deleteRosterOverride") &&
        html` <button type="button" class="link" onClick=${() => remove(override)}>Take back</button>`
      }
    </li>`,
  );
}

export default function OnCall({ query }) {
  const offset = Math.max(-26, Math.min(26, Number.parseInt(query.get("fortnight") || "0", 10) || 0));
  const [stamp, setStamp] = useState(0);
  const [override, setOverride] = useState();
  const [swap, setSwap] = useState();
  const from = midnight(Date.now(), offset * DAYS);
  const to = midnight(from, DAYS);
  const board = useAnswer((signal) => call("getOnCall", { signal }), `board ${stamp}`, 30e3);
  const plan = useAnswer(
    async (signal) => {
      const rosters = (await call("searchRosters", { signal, query: { pageSize: 50 } })).results;
      const timelines = await Promise.all(
        rosters.map((roster) =>
          call("getRosterTimeline", { rosterId: roster.id, signal, query: { from: wire(from), to: wire(to) } }),
        ),
      );
      return rosters.map((roster, place) => ({ roster, timeline: timelines[place] }));
    },
    `plan ${offset} ${stamp}`,
    120e3,
  );
  const rosters = (plan.data || []).map((lane) => lane.roster);
  const names = [
    ...new Set(
      (plan.data || []).flatMap(({ timeline }) =>
        timeline.entries.map((entry) => entry.users.map(personName).join(", ")),
      ),
    ),
  ].sort();
  const lanes = (plan.data || []).map(({ roster, timeline }) => ({
    id: roster.id,
    name: roster.name,
    note: `(covered ${timeline.coverage} % of the time)`,
    parts: [
      ...timeline.gaps.map((gap) => ({ ...gap, gap: true, text: "nobody" })),
      ...timeline.entries.map((entry) => {
        const text = entry.users.map(personName).join(", ") || "nobody";
        return {
          start: entry.start,
          end: entry.end,
          shift: entry.shift,
          users: entry.users,
          text,
          gap: !entry.users.length,
          colour: Math.max(0, names.indexOf(text)) % COLOURS,
        };
      }),
    ].sort((one, other) => millis(one.start) - millis(other.start)),
  }));
  const gaps = findGaps(plan.data || [], from, to);
  const drag = useDrag({
    from,
    to,
    onRange: (lane, start, end) => setOverride({ roster: lane.id, start, end }),
    onPair: (lane, first, second) => setSwap({ roster: lane.id, first, second }),
  });
  const fresh = () => setStamp((before) => before + 1);
  return html`
    <${Head}
      title="On call"
      actions=${
        may("createRosterOverride") &&
        rosters.length > 0 &&
        html`
          <${Button} kind="primary" onClick=${() => setOverride({ start: Date.now(), end: Date.now() + DAY / 3 })}>
            Take over…
          <//>
          <${Button} onClick=${() => setSwap({})}>Swap…<//>
        `
      }
    />
    <${Trouble} problem=${board.problem} again=${board.reload} />
    <div class="columns">
      <${Panel} title="Now" id="now">
        ${
          !board.data
            ? !board.problem && html`<${Loading} />`
            : board.data.onCall.length
              ? html`<ul class="people">
                  ${board.data.onCall.map((entry) => html`<${Person} entry=${entry} now=${true} />`)}
                </ul>`
              : html`<${Empty} title="Nobody is on call.">New alerts wait for the next shift.<//>`
        }
      <//>
      <${Panel} title="Next" id="next">
        ${
          !board.data
            ? !board.problem && html`<${Loading} />`
            : board.data.next.length
              ? html`<ul class="people">${board.data.next.map((entry) => html`<${Person} entry=${entry} />`)}</ul>`
              : html`<${Empty} title="Nobody is next." />`
        }
      <//>
    </div>
    <${Panel}
      title=${offset ? "Fourteen days" : "The next fourteen days"}
      id="lanes"
      actions=${html`
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
      ${
        !plan.data
          ? !plan.problem && html`<${Loading} />`
          : !lanes.length
            ? html`<${Empty} title="There is no roster yet.">
                One is created with <code>POST …/rosters</code>; see the <a href="/docs/">interface</a>.
              <//>`
            : html`
                <p class=${gaps.length ? "gaps" : "dim"}>
                  ${
                    gaps.length
                      ? html`
                          ${gaps.length === 1 ? "One gap" : `${gaps.length} gaps`} in which nobody is on call, the
                          first <${Time} at=${gaps[0].start} /> for ${span(gaps[0].length)}.
                        `
                      : "Somebody is on call all the time."
                  }
                </p>
                <${Lanes}
                  lanes=${lanes}
                  from=${from}
                  to=${to}
                  label="On-call schedule"
                  drag=${may("createRosterOverride") ? drag : undefined}
                />
                ${
                  may("createRosterOverride") &&
                  html`<p class="small dim only-wide">
                    Drag across a period to take it over, or drag one person onto another to swap.
                  </p>`
                }
                <ul class="overrides">
                  ${rosters.map(
                    (roster) => html`<${Overrides}
                      key=${roster.id}
                      roster=${roster}
                      from=${from}
                      stamp=${stamp}
                      onDone=${fresh}
                    />`,
                  )}
                </ul>
              `
      }
    <//>
    ${
      override &&
      html`<${Override} rosters=${rosters} given=${override} onClose=${() => setOverride()} onDone=${fresh} />`
    }
    ${swap && html`<${Swap} lanes=${lanes} given=${swap} onClose=${() => setSwap()} onDone=${fresh} />`}
  `;
}

/** When no roster has anybody: what is left of the time once every entry is taken out. */
export function findGaps(plan, from, to) {
  const taken = plan
    .flatMap(({ timeline }) => timeline.entries.filter((entry) => entry.users.length))
    .map((entry) => [millis(entry.start), millis(entry.end)])
    .sort((one, other) => one[0] - other[0]);
  const gaps = [];
  let until = from;
  for (const [start, end] of [...taken, [to, to]]) {
    if (start - until >= 60e3) gaps.push({ start: wire(until), length: start - until });
    until = Math.max(until, end);
  }
  return gaps;
}
