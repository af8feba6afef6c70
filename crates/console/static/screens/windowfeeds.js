// The calendar feeds of all maintenance windows.

import { call } from "../api.js";
import { Feed } from "../calendarfeeds.js";
import { Button, Panel, Trouble, html, personName } from "../elements.js";
import { useList } from "../hooks.js";
import { link } from "../route.js";

/** The feeds of all windows of the tenant; `names` are the names of windows by their ids. */
export function AllFeeds({ names }) {
  const feeds = useList("listAllMaintenanceCalendars", { pageSize: 50 });
  if (!feeds.rows?.length && !feeds.problem) return null;
  return html`<${Panel} title="Calendar feeds" id="feeds">
    <${Trouble} problem=${feeds.problem || feeds.moreProblem} again=${feeds.reload} />
    <ul class="plain-list">
      ${(feeds.rows || []).map((feed) => {
        const name = names[feed.of] || "a window";
        const revoke = (calendarId) =>
          call("deleteMaintenanceCalendar", { tenantId: feed.tenant, windowId: feed.of, calendarId });
        return html`<${Feed}
          key=${feed.id}
          feed=${feed}
          revoke=${revoke}
          of=${`${name}, made by ${personName(feed.createdBy)}`}
          onDone=${feeds.reload}
        >
          <a href=${link("maintenance", { window: feed.of })}>${name}</a>, made by${" "}
        <//>`;
      })}
    </ul>
    ${feeds.cursor && html`<${Button} onClick=${feeds.more}>Show more<//>`}
  <//>`;
}
