// Panels of the page of a roster: its overrides, and its requests for cover.

import { session } from "./api.js";
import { Badge, Button, Panel, Time, Trouble, html, personName } from "./elements.js";
import { useList, useState } from "./hooks.js";
import { RecordActions } from "./recordactions.js";
import { wire } from "./time.js";

const names = (users) => users.map(personName).join(", ");
const shown = { pageSize: 20 };

/** A list of the service below each other, with what failed and what is left. */
function Lines({ list, line, none }) {
  return html`
    <${Trouble} problem=${list.problem || list.moreProblem} again=${list.reload} />
    ${list.rows && !list.rows.length && html`<p class="dim">${none}</p>`}
    <ul class="plain-list">${list.rows?.map(line)}</ul>
    ${list.cursor && html`<${Button} onClick=${list.more}>Show more<//>`}
  `;
}

/** The overrides of a roster. `stamp` changes when there may be others; `onDone` is called after each deletion. */
export function Overrides({ roster, stamp, actions, onDone }) {
  const [past, setPast] = useState(false);
  const [from] = useState(() => wire(Date.now()));
  const list = useList(
    "listRosterOverrides",
    { ...shown, from: past ? undefined : from, isDescendingOrder: past ? "true" : undefined },
    { rosterId: roster.id, stamp },
  );
  const line = (override) => {
    const who = personName(override.user);
    return html`<li class="session" key=${override.id}>
      <span>
        <strong>${who}</strong> takes ${override.shift?.name || "the whole roster"}${" "}
        ${override.replaces && html`from ${names([override.replaces].flat())}${" "}`}
        ${override.swapId && html`<${Badge}>swap<//>${" "}`}<${Time} at=${override.start} /> to${" "}
        <${Time} at=${override.end} />${override.note && ` · ${override.note}`}
        ${personName(override.createdBy) && html`<span class="dim"> · made by ${personName(override.createdBy)}</span>`}
      </span>
      <span class="actions">
        <${RecordActions}
          actions=${[
            {
              label: "Delete…",
              title: `Delete override of ${who}?`,
              send: "Delete",
              operation: /** @type {const} */ ("deleteRosterOverride"),
              path: { rosterId: roster.id, overrideId: override.id },
              question: override.swapId
                ? "Both halves of the swap are taken back, as far as they are not over."
                : "If it is under way, it ends now. What is over stays.",
              danger: true,
              when: Date.parse(override.end) > Date.now(),
              message: "Override deleted.",
            },
          ]}
          of=${`override of ${who}`}
          onDone=${() => {
            list.reload();
            onDone();
          }}
        />
      </span>
    </li>`;
  };
  return html`<${Panel}
    title="Overrides"
    id="overrides"
    actions=${html`
      <${Button} onClick=${() => setPast(!past)}>${past ? "Show coming" : "Show all"}<//>
      ${actions}
    `}
  >
    <${Lines} list=${list} line=${line} none=${past ? "There is no override." : "There is no override from now on."} />
  <//>`;
}

const COVER = {
  order: ["user", "start", "end", "shift", "asked", "note"],
  labels: { user: "Person", start: "From", end: "To", asked: "Asked" },
};
const STATUS = { OPEN: "info", ACCEPTED: "good", DECLINED: "bad" };

/** The requests for cover of a roster. */
export function CoverRequests({ roster, stamp, onDone }) {
  const [all, setAll] = useState(false);
  const me = session.me.user.id;
  const list = useList(
    "listRosterCoverRequests",
    { ...shown, status: all ? undefined : "OPEN" },
    { rosterId: roster.id, stamp },
  );
  const done = () => {
    list.reload();
    onDone();
  };
  const line = (request) => {
    const path = { rosterId: roster.id, coverRequestId: request.id };
    const open = request.status === "OPEN";
    const asked = request.asked || [];
    const isAsked = asked.some((user) => user.id === me);
    const own = request.user.id === me;
    const shift = roster.shiftDetails.find((one) => one.id === request.shift);
    const who = personName(request.user);
    return html`<li class="session" key=${request.id}>
      <span>
        <strong>${who}</strong>, <${Time} at=${request.start} /> to <${Time} at=${request.end} />${" "}
        ${shift && `, ${shift.name} `}<${Badge} kind=${STATUS[request.status] || "quiet"}>${request.status.toLowerCase()}<//>
        <div class="small dim">
          asks ${asked.length ? names(asked) : "everybody"}${request.note && ` · ${request.note}`}
          ${request.answeredBy && ` · answered by ${personName(request.answeredBy)}`}
        </div>
      </span>
      <span class="actions">
        <${RecordActions}
          actions=${[
            {
              label: "Accept…",
              title: `Accept the request of ${who}?`,
              send: "Accept",
              operation: /** @type {const} */ ("acceptRosterCoverRequest"),
              path,
              question: `You are on call in place of ${who} for this time.`,
              when: open && !own && (!asked.length || isAsked),
              message: "Accepted: you take over.",
            },
            {
              label: "Decline",
              operation: /** @type {const} */ ("declineRosterCoverRequest"),
              path,
              when: open && !own && isAsked,
              message: "Declined.",
            },
            {
              label: "Withdraw…",
              title: `Withdraw the request of ${who}?`,
              send: "Withdraw",
              operation: /** @type {const} */ ("withdrawRosterCoverRequest"),
              path,
              question: "Nobody can accept it any more.",
              danger: true,
              when: open,
              message: "Withdrawn.",
            },
          ]}
          of=${`request of ${who}`}
          onDone=${done}
        />
      </span>
    </li>`;
  };
  return html`<${Panel}
    title="Requests for cover"
    id="cover"
    actions=${html`
      <${Button} onClick=${() => setAll(!all)}>${all ? "Show open" : "Show all"}<//>
      <${RecordActions}
        actions=${[
          {
            label: "Request cover…",
            title: `Request cover in “${roster.name}”`,
            send: "Request",
            operation: /** @type {const} */ ("createRosterCoverRequest"),
            path: { rosterId: roster.id },
            form: true,
            layout: { ...COVER, within: { shifts: roster.shiftDetails } },
            values: { user: session.me.user },
            message: "Cover requested.",
          },
        ]}
        onDone=${done}
      />
    `}
  >
    <${Lines} list=${list} line=${line} none=${all ? "There is no request for cover." : "There is no open request."} />
  <//>`;
}
