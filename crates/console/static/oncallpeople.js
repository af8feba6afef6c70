// Who is on call now, who is next, and how to reach them.

import { Empty, Loading, Panel, Time, html, personName } from "./elements.js";
import { levelOf } from "./rostertimeline.js";
import { link } from "./route.js";
import { millis } from "./time.js";

/** Who is on call, and how to reach them. */
function Person({ entry, now }) {
  const { user, roster } = entry;
  const number = user.mobileNumber || user.phoneNumber;
  const at = now ? entry.until : entry.since;
  return html`<li class="person">
    <div class="who">
      <strong>${personName(user)}</strong>
      ${entry.level && html` <span class="badge">${entry.level}</span>`}
      ${entry.reason === "override" && html` <span class="badge info">override</span>`}
    </div>
    <div class="dim"><a href=${link(["rosters", roster.id])}>${roster.name}</a> · ${entry.shift?.name || "whole roster"}</div>
    ${
      at &&
      html`<div class="small">
        ${now ? "until" : "from"} <${Time} at=${at} /> <span class="dim">(<${Time} at=${at} ago=${true} />)</span>
      </div>`
    }
    <div class="reach">
      ${number && html`<a href=${`tel:${number.replace(/[^+\d]/g, "")}`}>${number}</a>`}
      ${user.email && html`<a href=${`mailto:${user.email}`}>${user.email}</a>`}
    </div>
  </li>`;
}

/** The panels Now and Next; `board` is the answer to who is on call. */
export function NowAndNext({ board }) {
  const waiting = !board.problem && html`<${Loading} />`;
  const next = [...(board.data?.next || [])].sort((one, other) => millis(one.since) - millis(other.since));
  // Of a roster, those who are called first come first.
  const now = [...(board.data?.onCall || [])].sort((one, other) =>
    one.roster.id === other.roster.id ? levelOf(one).localeCompare(levelOf(other)) : 0,
  );
  return html`<div class="columns">
    <${Panel} title="Now" id="now">
      ${
        !board.data
          ? waiting
          : now.length
            ? html`<ul class="people">
                ${now.map((entry) => html`<${Person} entry=${entry} now=${true} />`)}
              </ul>`
            : html`<${Empty} title="Nobody is on call.">New alerts wait for the next shift.<//>`
      }
    <//>
    <${Panel} title="Next" id="next">
      ${
        !board.data
          ? waiting
          : next.length
            ? html`<ul class="people">${next.map((entry) => html`<${Person} entry=${entry} />`)}</ul>`
            : html`<${Empty} title="Nobody is next." />`
      }
    <//>
  </div>`;
}
