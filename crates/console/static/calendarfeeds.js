// Calendar feeds of rosters, people and maintenance windows: addresses that calendar programs subscribe to.

import { call, may } from "./api.js";
import { Copyable } from "./copy.js";
import { FormDialog } from "./dialog.js";
import { Button, Panel, Time, Trouble, html, personName } from "./elements.js";
import { useAnswer, useList, useState } from "./hooks.js";
import { link } from "./route.js";
import { attempt, say } from "./toast.js";

/** The feeds of a roster, of a person, and of a maintenance window. */
export const rosterFeeds = (rosterId) => ({
  key: rosterId,
  list: (signal) => call("listRosterCalendars", { rosterId, signal }),
  create: () => call("createRosterCalendar", { rosterId }),
  revoke: (calendarId) => call("deleteRosterCalendar", { rosterId, calendarId }),
});
export const userFeeds = (userId) => ({
  key: userId,
  list: (signal) => call("listUserCalendars", { userId, signal }),
  create: () => call("createUserCalendar", { userId }),
  revoke: (calendarId) => call("deleteUserCalendar", { userId, calendarId }),
});

export const windowFeeds = (windowId) => ({
  key: windowId,
  list: (signal) => call("listMaintenanceCalendars", { windowId, signal }),
  create: () => call("createMaintenanceCalendar", { windowId }),
  revoke: (calendarId) => call("deleteMaintenanceCalendar", { windowId, calendarId }),
});

/** One feed, with a button that revokes it. `children` say what it shows. */
export function Feed({ feed, revoke, of, onDone, children = undefined }) {
  const [asked, setAsked] = useState(false);
  const by = personName(feed.createdBy);
  const send = async () => {
    await revoke(feed.id);
    say("Calendar feed revoked.");
    onDone();
  };
  return html`<li>
    <div class="session">
      <span>
        ${children}${by}, since${" "}
        <${Time} at=${feed.createdTime} />${feed.expiresTime && html`, until <${Time} at=${feed.expiresTime} />`}
      </span>
      <span class="actions">
        ${
          may("deleteRosterCalendar") &&
          html`<${Button} kind="danger" aria-label=${`Revoke… ${of}`} onClick=${() => setAsked(true)}>Revoke…<//>`
        }
      </span>
    </div>
    ${
      asked &&
      html`<${FormDialog}
        title="Revoke calendar feed?"
        send="Revoke"
        danger=${true}
        onSend=${send}
        onClose=${() => setAsked(false)}
      >
        <p class="wide">Calendar programs that have its address read it no more.</p>
      <//>`
    }
  </li>`;
}

/** A list of feeds, and a button that makes one; its address is shown once. */
export function Feeds({ feeds: { key, list, create, revoke }, note }) {
  const feeds = useAnswer((signal) => list(signal), key);
  const [made, setMade] = useState(/** @type {any} */ (undefined));
  const make = async () => {
    const feed = await attempt("", create);
    if (feed) setMade(feed);
    feeds.reload();
  };
  return html`
    <${Trouble} problem=${feeds.problem} again=${feeds.reload} />
    ${made && html`<${Copyable} label="Address" text=${made.url} note=${`It is shown only once. ${note}`} />`}
    <ul class="plain-list">
      ${feeds.data?.map(
        (feed) => html`<${Feed}
          key=${feed.id}
          of=${`feed of ${personName(feed.createdBy)}`}
          onDone=${() => {
            if (made?.id === feed.id) setMade(undefined);
            feeds.reload();
          }}
          ...${{ feed, revoke }}
        />`,
      )}
    </ul>
    ${feeds.data && !feeds.data.length && html`<p class="dim">There is no calendar feed yet.</p>`}
    ${may("createRosterCalendar") && html`<div class="actions"><${Button} onClick=${make}>New calendar feed<//></div>`}
  `;
}

/** The feeds of one person, in a dialog. */
export function FeedsDialog({ userId, onClose }) {
  return html`<${FormDialog} title="My calendar" send="" leave="Done" onSend=${() => {}} onClose=${onClose}>
    <div class="wide">
      <p>A calendar program that subscribes to an address shows your shifts.</p>
      <${Feeds} feeds=${userFeeds(userId)} note="Anyone who has it reads when you are on call." />
    </div>
  <//>`;
}

/** The feeds of all rosters and people of the tenant. */
export function AllCalendars() {
  const feeds = useList("listCalendars", { pageSize: 50 });
  const names = useAnswer(async (signal) => {
    const { results } = await call("searchRosters", { signal, query: { pageSize: 1000 } });
    return Object.fromEntries(results.map((roster) => [roster.id, roster.name]));
  }, "names");
  if (!feeds.rows?.length && !feeds.problem) return null;
  return html`<${Panel} title="Calendar feeds" id="feeds">
    <${Trouble} problem=${feeds.problem || feeds.moreProblem} again=${feeds.reload} />
    <ul class="plain-list">
      ${(feeds.rows || []).map((feed) => {
        const ofRoster = feed.of.startsWith("ES-");
        const name = ofRoster
          ? names.data?.[feed.of] || "a roster"
          : feed.of === feed.createdBy.id
            ? personName(feed.createdBy)
            : feed.of;
        return html`<${Feed}
          key=${feed.id}
          feed=${feed}
          revoke=${(calendarId) =>
            ofRoster
              ? call("deleteRosterCalendar", { tenantId: feed.tenant, rosterId: feed.of, calendarId })
              : call("deleteUserCalendar", { tenantId: feed.tenant, userId: feed.of, calendarId })}
          of=${`${name}, made by ${personName(feed.createdBy)}`}
          onDone=${feeds.reload}
        >
          ${ofRoster ? html`<a href=${link(["rosters", feed.of])}>${name}</a>` : name}, made by${" "}
        <//>`;
      })}
    </ul>
    ${feeds.cursor && html`<${Button} onClick=${feeds.more}>Show more<//>`}
  <//>`;
}
