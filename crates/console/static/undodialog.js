// The dialog that undoes a change set: what the set is, what an undo makes of its objects, and what keeps it from that.

import { call } from "./api.js";
import { FormDialog } from "./dialog.js";
import { Button, Facts, Loading, Time, Trouble, count, html, personName, stateName } from "./elements.js";
import { useAnswer, useMemo, useState } from "./hooks.js";
import { actorOf, nameOf, useRecordNames } from "./recordnames.js";
import { say } from "./toast.js";
import { Fields, changesSince } from "./undofields.js";

/** Objects that are listed at once. */
const PAGE = 100;
/** Objects that the service restores in one transaction. */
const WHOLE = 100;
/** How long the service is given between two looks at an undo that takes longer than a request may. */
const PAUSE = 2000;
/** Looks without any progress after which an undo has stopped. */
const MOST_IDLE = 8;

const keyOf = ({ entity, entityId }) => `${entity} ${entityId}`;
/** What an object is called. */
const title = ({ entity, entityId }) => `${entity} ${nameOf(entity, entityId) || entityId}`;
const objects = (number) => (number === 1 ? "1 object" : `${count(number)} objects`);

const preview = (id, signal) => call("undoChangeSet", { changeSetId: id, query: { preview: true }, signal });

/** The set, what an undo of it would do, and what changed since of the object that the dialog was opened for. */
async function read(id, about, signal) {
  const [set, plan] = await Promise.all([
    call("getChangeSet", { changeSetId: id, query: { pageSize: PAGE }, signal }),
    preview(id, signal),
  ]);
  const [only] = set.changes.results.length === 1 ? set.changes.results : [];
  const first = about || only;
  const isChanged = first && plan.changedSince.some((one) => keyOf(one) === keyOf(first));
  return { set, plan, first, since: isChanged ? await changesSince(set, first, signal) : [] };
}

/**
 * Undoes a set. Of thousands of objects, which are restored in several parts, that takes longer than a request may:
 * then it is looked at until it is done.
 */
async function undo(id, number, onProgress) {
  let refused;
  try {
    return await call("undoChangeSet", { changeSetId: id });
  } catch (problem) {
    if (problem.status !== 503 || number <= WHOLE) throw problem;
    refused = problem;
  }
  let rest = Infinity;
  for (let idle = 0; idle < MOST_IDLE; idle += 1) {
    await new Promise((done) => setTimeout(done, PAUSE));
    const plan = await preview(id);
    if (!plan.objects && plan.alreadyUndone) return plan;
    if (plan.objects < rest) idle = 0;
    rest = plan.objects;
    onProgress(`${objects(plan.alreadyUndone)} undone, ${count(rest)} to go.`);
  }
  throw refused;
}

/** Asks whether a change set is to be undone, and does it. `about` is the object that was looked at. */
export function UndoDialog({ id, about = undefined, onClose, onDone }) {
  const answer = useAnswer((signal) => read(id, about, signal), id);
  const [progress, setProgress] = useState("");
  const { set, plan } = answer.data || {};
  const isRefused = plan?.changedSince.length > 0;
  const send = async () => {
    try {
      await undo(id, plan.objects, setProgress);
    } catch (problem) {
      if (problem.status === 409) answer.reload();
      throw problem;
    }
    say("Undone.");
    onDone();
  };
  const of = set?.name ? `“${set.name}”` : set && set.objects !== 1 ? objects(set.objects) : "";
  return html`<${FormDialog}
    title=${of ? `Undo change set ${of}` : about ? `Undo change of ${title(about)}` : "Undo change set"}
    send=${plan?.objects && !isRefused ? "Undo" : ""}
    leave=${plan?.objects && !isRefused ? "Cancel" : "Close"}
    onSend=${send}
    onClose=${onClose}
    wide=${true}
  >
    <div class="wide">
      ${
        set
          ? html`<${Preview} ...${answer.data} progress=${progress} />`
          : answer.problem
            ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />`
            : html`<${Loading} />`
      }
    </div>
  <//>`;
}

/** What an undo would do, in words. */
function verdict({ objects: number, alreadyUndone }) {
  if (number === 1) return "1 object becomes what it was before.";
  if (number) return `${count(number)} objects become what they were before.`;
  return alreadyUndone ? "The change set is undone already." : "Nothing of the change set can be undone.";
}

function Preview({ set, plan, first, since, progress }) {
  const [later, setLater] = useState({ rows: /** @type {any[]} */ ([]), cursor: set.changes.nextCursor });
  const rows = useMemo(() => [...set.changes.results, ...later.rows], [set, later]);
  const people = useMemo(
    () => [{ userId: set.createdBy.id, keyId: set.keyId }, ...plan.changedSince, ...plan.notUndone],
    [set, plan],
  );
  useRecordNames(rows);
  useRecordNames(people);
  const more = async () => {
    const page = await call("getChangeSet", {
      changeSetId: set.id,
      query: { pageSize: PAGE, cursor: later.cursor },
    });
    setLater({ rows: [...later.rows, ...page.changes.results], cursor: page.changes.nextCursor });
  };
  const left = new Map(plan.notUndone.map((one) => [keyOf(one), one]));
  const changed = new Map(plan.changedSince.map((one) => [keyOf(one), one]));
  const isFirst = (one) => first && keyOf(one) === keyOf(first);
  // Of a long set, the object that was looked at may be on a later page.
  const shown = rows.find(isFirst) || first;
  const others = rows.filter((one) => !isFirst(one));
  const fields = (one, given = {}) =>
    html`<${Fields} object=${one} left=${left.get(keyOf(one))} isChanged=${changed.has(keyOf(one))} ...${given} />`;
  return html`
    <${Facts}
      of=${[
        ["Change set", html`${set.name} <span class="mono small">${set.id}</span>`],
        ["Undoes", set.undoes && html`<span class="mono">${set.undoes}</span>`],
        ["By", actorOf({ userId: set.createdBy.id, keyId: set.keyId }) || personName(set.createdBy)],
        ["Begun", html`<${Time} at=${set.createdDate} />`],
        ["Requests", count(set.requests)],
        ["Objects", count(set.objects)],
      ]}
    />
    ${changed.size > 0 ? html`<${Refusal} plan=${plan} />` : html`<p><strong>${progress || verdict(plan)}</strong></p>`}
    ${
      shown &&
      html`<h3>${stateName(shown.action)} ${title(shown)}</h3>
        ${fields(shown, { since })}`
    }
    ${others.length > 0 && html`<h3>${shown ? "Other objects of the set" : "Objects"}</h3>`}
    ${others.map(
      (one) => html`<details key=${keyOf(one)}>
        <summary>${stateName(one.action)} ${title(one)}${changed.has(keyOf(one)) ? ": changed since" : ""}</summary>
        ${fields(one)}
      </details>`,
    )}
    ${later.cursor && html`<p><${Button} onClick=${more}>Show more<//></p>`}
    <${NotUndone} plan=${plan} />
    ${plan.objects > 0 && !changed.size && html`<h3>What stays</h3><p>${plan.lasting}</p>`}
  `;
}

/** Which objects changed since, by whom and when: while there are any, nothing is undone. */
function Refusal({ plan }) {
  const number = plan.changedSince.length;
  const all = number < PAGE ? objects(number) : `At least ${objects(number)}`;
  return html`<div class="note">
    <p><strong>The change set cannot be undone: ${all} changed since.</strong></p>
    <ul>
      ${plan.changedSince.map(
        (one) => html`<li>
            ${title(one)}: changed <${Time} at=${one.time} /> by${" "}
            ${nameOf("User", one.userId) || one.userId || "the service"}
          </li>`,
      )}
    </ul>
    <p>
      Undo the later changes first, the newest before the others, or set by hand what should have its earlier value.
    </p>
  </div>`;
}

/** What stays as it is, and why. */
function NotUndone({ plan }) {
  if (!plan.notUndone.length) return null;
  const rest = plan.notUndoneCount - plan.notUndone.length;
  return html`<h3>Not undone</h3>
    <ul class="plain-list">
      ${plan.notUndone.map(
        (one) => html`<li>
            ${title(one)}:${" "}
            ${
              one.fields?.length
                ? html`<span class="mono">${one.fields.join(", ")}</span>, since the audit log does not keep the values,
                    or nothing sets them`
                : "nothing of it can be restored: its kind cannot, or the audit log does not keep enough of it"
            }
          </li>`,
      )}
      ${rest > 0 && html`<li>and ${objects(rest)} more</li>`}
    </ul>`;
}
