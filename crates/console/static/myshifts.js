// The shifts of the person who is signed in, and their calendar feeds.

import { call, may, session } from "./api.js";
import { Button, Empty, Loading, Panel, Time, Trouble, html } from "./elements.js";
import { useAnswer, useState } from "./hooks.js";
import { link } from "./route.js";
import { say } from "./toast.js";

/** How many shifts are shown at first. */
const FEW = 5;

export function MyShifts({ stamp }) {
  const userId = session.me.user.id;
  const [all, setAll] = useState(false);
  /** @type {[any, (dialog?: any) => void]} the dialog of feeds, loaded when somebody opens it */
  const [FeedsDialog, setFeedsDialog] = useState();
  const openFeeds = () =>
    import("./calendarfeeds.js").then(
      (feeds) => setFeedsDialog(() => feeds.FeedsDialog),
      () => say("That could not be loaded. Reload the page to try again."),
    );
  const answer = useAnswer((signal) => call("getUserShifts", { userId, signal }), `${userId} ${stamp}`, 300e3);
  const shifts = answer.data?.shifts || [];
  return html`<${Panel}
    title="My shifts"
    id="mine"
    actions=${may("listUserCalendars") && html`<${Button} onClick=${openFeeds}>My calendar…<//>`}
  >
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    ${!answer.data && !answer.problem && html`<${Loading} />`}
    ${answer.data && !shifts.length && html`<${Empty} title="You are not on call in the next 90 days." />`}
    <ul class="plain-list">
      ${(all ? shifts : shifts.slice(0, FEW)).map(
        (one) => html`<li>
          <${Time} at=${one.since} /> ${one.until ? html`to <${Time} at=${one.until} />` : "without an end"} ·${" "}
          <a href=${link(["rosters", one.roster.id])}>${one.roster.name}</a>${one.shift && ` · ${one.shift.name}`}${" "}
          ${one.level && html`<span class="badge">${one.level}</span>`}
          ${one.reason === "override" && html`<span class="badge info">override</span>`}
        </li>`,
      )}
    </ul>
    ${
      shifts.length > FEW &&
      html`<${Button} onClick=${() => setAll(!all)}>${all ? "Show fewer" : `Show all ${shifts.length}`}<//>`
    }
    ${FeedsDialog && html`<${FeedsDialog} userId=${userId} onClose=${() => setFeedsDialog()} />`}
  <//>`;
}
