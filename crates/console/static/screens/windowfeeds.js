// Calendar feeds of maintenance windows: addresses that calendar programs subscribe to.

import { call, may } from "../api.js";
import { Copyable } from "../copy.js";
import { FormDialog } from "../dialog.js";
import { Button, Panel, Time, Trouble, count, html, personName } from "../elements.js";
import { useAnswer, useState } from "../hooks.js";
import { RecordActions } from "../recordactions.js";
import { link } from "../route.js";
import { attempt } from "../toast.js";

/** What can be done with a feed. */
const revokeAction = (feed, windowId) => ({
  label: "Revoke…",
  title: "Revoke calendar feed?",
  send: "Revoke",
  operation: /** @type {const} */ ("deleteMaintenanceCalendar"),
  path: { windowId, calendarId: feed.id },
  question: "Calendar programs that have its address read it no more.",
  danger: true,
  message: "Calendar feed revoked.",
});

/** A list of feeds; `windowOf` is the window of each, as `{id, name}`, where it is not the one that is shown. */
function FeedList({ feeds, windowId, windowOf = /** @type {any} */ (undefined), onDone }) {
  return html`<ul class="plain-list">
    ${feeds.map((feed) => {
      const other = windowOf?.(feed);
      const by = personName(feed.createdBy);
      return html`<li key=${feed.id}>
        <div class="session">
          <span>
            ${other && html`<a href=${link("maintenance", { window: other.id })}>${other.name}</a>${": "}`}
            ${by}, since${" "}
            <${Time} at=${feed.createdTime} />${feed.expiresTime && html`, until <${Time} at=${feed.expiresTime} />`}
          </span>
          <span class="actions">
            <${RecordActions}
              actions=${[revokeAction(feed, other?.id || windowId)]}
              of=${`${other?.name || "feed"}, ${by}`}
              onDone=${onDone}
            />
          </span>
        </div>
      </li>`;
    })}
  </ul>`;
}

/** The feeds of one window. */
export function WindowFeeds({ id }) {
  const feeds = useAnswer((signal) => call("listMaintenanceCalendars", { windowId: id, signal }), id);
  const [made, setMade] = useState(/** @type {any} */ (undefined));
  const create = async () => {
    const feed = await attempt("", () => call("createMaintenanceCalendar", { windowId: id }));
    if (feed) setMade(feed);
    feeds.reload();
  };
  return html`
    <h3>Calendar feeds</h3>
    <${Trouble} problem=${feeds.problem} />
    <${FeedList} feeds=${feeds.data || []} windowId=${id} onDone=${feeds.reload} />
    ${feeds.data && !feeds.data.length && html`<p class="dim">Nobody subscribes to it.</p>`}
    ${
      may("createMaintenanceCalendar") &&
      html`<div class="actions"><${Button} onClick=${create}>New calendar feed<//></div>`
    }
    ${
      made &&
      html`<${FormDialog} title="New calendar feed" send="" leave="Done" onSend=${() => {}} onClose=${() => setMade()}>
        <div class="wide">
          <${Copyable}
            label="Address"
            text=${made.url}
            note="It is shown only once. Anyone who has it reads when the window is open."
          />
        </div>
      <//>`
    }
  `;
}

/** How many feeds are listed. */
const MOST = 100;

/** The feeds of all windows of the tenant; `names` are the names of windows by their ids. */
export function AllFeeds({ names }) {
  const feeds = useAnswer(
    (signal) => call("listAllMaintenanceCalendars", { signal, query: { pageSize: MOST } }),
    "feeds",
    60e3,
  );
  if (!feeds.data?.results.length && !feeds.problem) return null;
  const { results = [], totalResults = 0 } = feeds.data || {};
  return html`<${Panel} title="Calendar feeds" id="feeds">
    <${Trouble} problem=${feeds.problem} again=${feeds.reload} />
    <${FeedList}
      feeds=${results}
      windowOf=${(feed) => ({ id: feed.of, name: names[feed.of] || "a window" })}
      onDone=${feeds.reload}
    />
    ${totalResults > MOST && html`<p class="gaps">The first ${MOST} of ${count(totalResults)} are shown.</p>`}
  <//>`;
}
