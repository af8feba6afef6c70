// API keys: which programs may call, with what, and until when.

import { call, may, session } from "../api.js";
import { Differences, DeleteDialog, actOnVersion } from "../conflict.js";
import { FormDialog } from "../dialog.js";
import { Badge, Button, Empty, Head, Loading, Time, Trouble, html, personName, some } from "../elements.js";
import { Field } from "../form.js";
import { useAnswer, useState } from "../hooks.js";
import { searchPeople } from "../peoplesearch.js";
import { wordsAmong } from "../references.js";
import { fromInput, millis } from "../time.js";
import { ROLES } from "./people.js";

/**
 * The fields of a key that are compared before it is rotated or revoked. Its last use is not a conflict.
 * @type {[string, string, (key: any) => any, ((key: any) => any)?][]}
 */
const FIELDS = [
  ["name", "Name", (key) => key.name],
  ["role", "Role", (key) => key.role],
  ["updatedDate", "Changed", (key) => key.updatedDate, (key) => new Date(millis(key.updatedDate)).toLocaleString()],
  ["previousSecretValid", "Previous secret", (key) => (key.previousSecretValid ? "valid" : "none")],
];

const readKey = (key) => call("getApiKey", { apiKeyId: key.id });

/** Makes a key. */
function Create({ onClose, onMade }) {
  const people = useAnswer((signal) => searchPeople({ signal, query: { sortName: "loginName" } }), "people");
  const offered = (people.data?.people || []).filter((user) => user.tenantId === session.tenant);
  const words = wordsAmong(offered, personName);
  const send = async (values) => {
    const operations = values.operations.split(/[\s,]+/).filter(Boolean);
    const body = {
      name: values.name,
      role: values.role,
      userId: values.userId || undefined,
      expiresAt: fromInput(values.expiresAt),
      operations: operations.length ? operations : undefined,
    };
    onMade(await call("createApiKey", { body }));
  };
  return html`<${FormDialog} title="New API key" send="Create" onClose=${onClose} onSend=${send} keep="key">
    ${(problem) => html`
      <${Trouble} problem=${people.problem} />
      <${Field} name="name" label="Name" required maxlength="200" problem=${problem} />
      <${Field} as="select" name="role" label="Role" problem=${problem}>
        ${ROLES.map((role) => html`<option value=${role}>${role}</option>`)}
      <//>
      <${Field} as="select" name="userId" label="Acts as" problem=${problem}>
        <option value="">its own user</option>
        ${offered.map((user) => html`<option value=${user.id}>${words(user)}</option>`)}
      <//>
      <${Field}
        type="datetime-local"
        name="expiresAt"
        label="Expires"
        problem=${problem}
        hint="Empty: never"
      />
      <${Field}
        as="textarea"
        rows="2"
        name="operations"
        label="Allowed operations"
        wide
        problem=${problem}
        hint="Such as reportAlert, getMe; empty: all operations of its role"
      />
    `}
  <//>`;
}

/** The dialog that rotates a secret; a rotation by somebody else is shown first. */
function Rotate({ apiKey, onClose, onMade }) {
  const [theirs, setTheirs] = useState();
  const [revoke, setRevoke] = useState(false);
  const rotate = (match) => call("rotateApiKey", { apiKeyId: apiKey.id, match, body: { revokePrevious: revoke } });
  const send = async () => {
    try {
      onMade(
        await actOnVersion({ found: theirs || apiKey, fields: FIELDS, read: () => readKey(apiKey), work: rotate }),
      );
    } catch (problem) {
      if (problem.theirs) setTheirs(problem.theirs);
      throw problem;
    }
  };
  return html`<${FormDialog}
    title=${`New secret for “${apiKey.name}”`}
    send=${theirs ? "Create anyway" : "Create"}
    onClose=${onClose}
    onSend=${send}
  >
    ${() => html`
      ${
        theirs &&
        html`<div class="wide theirs"><${Differences} fields=${FIELDS} found=${apiKey} theirs=${theirs} /></div>`
      }
      <p class="wide">
        The previous secret stays valid until the next rotation, so that programs can switch to the new one.
      </p>
      <label class="inline wide">
        <input type="checkbox" checked=${revoke} onChange=${() => setRevoke(!revoke)} /> Revoke the previous secret now
      </label>
    `}
  <//>`;
}

export default function Keys() {
  const all = useAnswer((signal) => call("listApiKeys", { signal }), "keys");
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState();
  const [rotating, setRotating] = useState();
  const [revoking, setRevoking] = useState();
  const onMade = (key) => {
    setMade(key);
    all.reload();
  };
  return html`
    <${Head}
      title="API keys"
      actions=${may("createApiKey") && html`<${Button} kind="primary" onClick=${() => setMaking(true)}>New key…<//>`}
    />
    ${
      made &&
      html`<section class="panel" aria-label="The new key">
        <p class="note">The secret of “${made.name}” is shown only once.</p>
        <pre class="output" tabindex="0">MUSTER_KEY=${made.key}${"\n"}MUSTER_SECRET=${made.secret}</pre>
        <${Button} onClick=${() => setMade()}>Hide secret<//>
      </section>`
    }
    <${Trouble} problem=${all.problem} again=${all.reload} />
    ${
      !all.data
        ? !all.problem && html`<${Loading} />`
        : !all.data.length
          ? html`<${Empty} title="There are no API keys." />`
          : html`<div class="scroll" tabindex="0" role="region" aria-label="API keys">
              <table class="rows">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Role</th>
                    <th scope="col" class="k3">Key</th>
                    <th scope="col" class="k2">Acts as</th>
                    <th scope="col" class="k2">Used</th>
                    <th scope="col" class="k3">Expires</th>
                    <th scope="col"><span class="hidden">Actions</span></th>
                  </tr>
                </thead>
                <tbody>
                  ${all.data.map(
                    (key) => html`<tr key=${key.id}>
                      <td class="grow">
                        ${key.name} ${key.personal && html`<${Badge}>personal<//>`}
                        ${some(key.operations) && html`<div class="below dim">only ${key.operations?.join(", ")}</div>`}
                      </td>
                      <td>${key.role}</td>
                      <td class="k3 mono small">${key.key.slice(0, 10)}…</td>
                      <td class="k2">${key.userId}</td>
                      <td class="k2"><${Time} at=${key.lastUsedAt} ago=${true} /></td>
                      <td class="k3">${key.expiresAt && html`<${Time} at=${key.expiresAt} />`}</td>
                      <td>
                        <div class="actions">
                          ${
                            may("rotateApiKey") &&
                            html`<${Button} aria-label=${`New secret… ${key.name}`} onClick=${() => setRotating(key)}>
                              New secret…
                            <//>`
                          }
                          ${
                            may("revokeApiKey") &&
                            html`<${Button} aria-label=${`Revoke… ${key.name}`} onClick=${() => setRevoking(key)}>
                              Revoke…
                            <//>`
                          }
                        </div>
                      </td>
                    </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
    }
    ${making && html`<${Create} onClose=${() => setMaking(false)} onMade=${onMade} />`}
    ${rotating && html`<${Rotate} apiKey=${rotating} onClose=${() => setRotating()} onMade=${onMade} />`}
    ${
      revoking &&
      html`<${DeleteDialog}
        title=${`Revoke “${revoking.name}”?`}
        send="Revoke"
        found=${revoking}
        fields=${FIELDS}
        read=${() => readKey(revoking)}
        work=${(match) => call("revokeApiKey", { apiKeyId: revoking.id, match })}
        onClose=${() => setRevoking()}
        onDone=${all.reload}
      >
        <p>Programs that use it are refused from now on.</p>
      <//>`
    }
  `;
}
