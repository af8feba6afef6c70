// How a person signs in: the sessions, and the accounts of OpenID Connect.

import { call, may } from "../api.js";
import { Badge, Button, Loading, Panel, Time, Trouble, html } from "../elements.js";
import { useAnswer } from "../hooks.js";
import { RecordActions } from "../recordactions.js";
import { attempt } from "../toast.js";
import { ContactMethods } from "./contactmethods.js";

/**
 * The accounts of OpenID Connect that sign a person in.
 * @param {{of: string, read: (signal: AbortSignal) => Promise<any>, remove: OperationId, path?: any}} given
 */
export function Identities({ of, read, remove, path = {} }) {
  const all = useAnswer((signal) => read(signal), of);
  return html`<${Panel}
    title="Sign-in accounts"
    id="identities"
    actions=${html`<${RecordActions}
      actions=${[
        {
          label: "Remove accounts…",
          title: "Remove sign-in accounts?",
          operation: remove,
          path,
          when: all.data?.length > 0,
          question:
            "No account of the sign-in service belongs to this user from then on, and sessions that began so end.",
          danger: true,
          message: "Removed.",
        },
      ]}
      onDone=${all.reload}
    />`}
  >
    <${Trouble} problem=${all.problem} again=${all.reload} />
    ${
      all.data &&
      html`<ul class="plain-list">
        ${all.data.map(
          (one) => html`<li>
            <strong>${one.subject}</strong>
            <div class="small dim">of ${one.issuer}, since <${Time} at=${one.createdDate} /></div>
          </li>`,
        )}
        ${!all.data.length && html`<li class="dim">None.</li>`}
      </ul>`
    }
  <//>`;
}

/** Sessions, each with a button that ends it where `isOpen(session)`. */
export function SessionList({ all, isOpen, end, none }) {
  if (!all.data)
    return all.problem ? html`<${Trouble} problem=${all.problem} again=${all.reload} />` : html`<${Loading} />`;
  return html`
    <${Trouble} problem=${all.problem} again=${all.reload} />
    <ul class="plain-list">
      ${all.data.map(
        (one) => html`<li class="session">
          <div>
            <strong>${one.userAgent || "A browser"}</strong>${" "}
            ${one.current && html`<${Badge} kind="good">this one<//>`}
            <div class="small dim">
              by ${one.method}, since <${Time} at=${one.createdDate} />, used${" "}
              <${Time} at=${one.lastUsedAt} ago=${true} />
            </div>
          </div>
          ${isOpen(one) && html`<${Button} onClick=${() => end(one)}>Sign out there<//>`}
        </li>`,
      )}
      ${!all.data.length && html`<li class="dim">${none}</li>`}
    </ul>
  `;
}

/** The sessions of somebody else. */
function Sessions({ user }) {
  const path = { userId: user.id };
  const all = useAnswer((signal) => call("listUserSessions", { ...path, signal }), user.id);
  const end = async (one) =>
    (await attempt("Signed out there.", () => call("endUserSession", { ...path, sessionId: one.id }))) && all.reload();
  return html`<${Panel}
    title="Sessions"
    id="person-sessions"
    actions=${html`<${RecordActions}
      actions=${[
        {
          label: "Sign out everywhere…",
          title: "Sign out everywhere?",
          operation: /** @type {const} */ ("endUserSessions"),
          path,
          send: "Sign out",
          question: "All sessions end, and sign-in links that were not used become invalid.",
          danger: true,
          message: "Signed out everywhere.",
        },
      ]}
      onDone=${all.reload}
    />`}
  >
    <${SessionList} all=${all} isOpen=${() => may("endUserSession")} end=${end} none="None." />
  <//>`;
}

/** How somebody else signs in and is reached, for admins. */
export function PersonAccess({ user }) {
  const path = { userId: user.id };
  return html`
    <${Sessions} user=${user} />
    <${Identities}
      of=${user.id}
      read=${(signal) => call("listUserIdentities", { ...path, signal })}
      remove=${/** @type {const} */ ("deleteUserIdentities")}
      path=${path}
    />
    <${ContactMethods} user=${user} />
  `;
}
