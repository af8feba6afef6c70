// Reports: figures of the alerts of some days, and the hours on call of people, groups and rosters.

import { call, may } from "../api.js";
import { RangePicker, rangeOf } from "../daterange.js";
import { Head, html } from "../elements.js";
import { Choice } from "../form.js";
import { useAnswer } from "../hooks.js";
import { Picker } from "../picker.js";
import { HOURS_BY, HoursPanel } from "../rosterhours.js";
import { link, refine } from "../route.js";
import { AlertFigures } from "./alertfigures.js";

/** What the hours are narrowed to: a person or a user group, as the address names it. */
function useOnly(query) {
  const [userId, userGroupId] = [query.get("person") || "", query.get("team") || ""];
  const named = useAnswer(async (signal) => {
    const person = userId && may("getUser") && (await call("getUser", { userId, signal }));
    const team = userGroupId && may("getUserGroup") && (await call("getUserGroup", { userGroupId, signal }));
    return { person, team };
  }, `only ${userId} ${userGroupId}`);
  return {
    userId,
    userGroupId,
    person: userId && { id: userId, ...(named.data?.person || { name: userId }) },
    team: userGroupId && { uniqueId: userGroupId, ...(named.data?.team || { name: userGroupId }) },
  };
}

/** The hours, for each person of all or of a group, or for one person by roster. */
function Hours({ range, query }) {
  const by = /** @type {keyof typeof HOURS_BY} */ (HOURS_BY[query.get("hours")] ? query.get("hours") : "user");
  const { userId, userGroupId, person, team } = useOnly(query);
  /** A row leads to its parts: a person to their rosters, a group to its people. */
  const cell = (row, name) => {
    const given = Object.fromEntries(query);
    const narrowed = (changes) => link("reports", { ...given, tenant: "", ...changes });
    if (row.user) return html`<a href=${narrowed({ person: row.user.id, hours: "roster" })}>${name}</a>`;
    if (row.userGroup) return html`<a href=${narrowed({ team: row.userGroup.uniqueId, hours: "user" })}>${name}</a>`;
    return row.roster ? html`<a href=${link(["rosters", row.roster.id])}>${name}</a>` : name;
  };
  return html`<${HoursPanel}
    from=${range.from}
    to=${range.to}
    words=${range.words}
    file=${`${range.first}-${range.last}`}
    by=${by}
    only=${{ userId, userGroupId }}
    sort=${query.get("hoursSort") || "-total"}
    onSort=${(hoursSort) => refine({ hoursSort })}
    cell=${cell}
  >
    <${Choice}
      label="For each"
      value=${by}
      options=${Object.entries(HOURS_BY)}
      onValue=${(hours) => refine({ hours })}
    />
    <${Picker}
      field=${{ type: "object", refers: "user" }}
      label="Person"
      within=${{ clients: true }}
      value=${person}
      onValue=${(chosen) => refine({ person: chosen?.id || "" })}
      errors=${[]}
    />
    <${Picker}
      field=${{ type: "object", refers: "userGroup" }}
      label="User group"
      within=${{ clients: true }}
      value=${team}
      onValue=${(chosen) => refine({ team: chosen?.uniqueId || "" })}
      errors=${[]}
    />
  <//>`;
}

export default function Reports({ query }) {
  const range = rangeOf(query);
  return html`
    <${Head} title="Reports">${range.words}<//>
    <div class="filters"><${RangePicker} range=${range} /></div>
    ${!range.wrong && html`<${AlertFigures} ...${{ range, query }} />`}
    ${!range.wrong && may("getRosterHours") && html`<${Hours} ...${{ range, query }} />`}
  `;
}
