// API keys: which programs may call.

import { call, may } from "../api.js";
import { Badge, Button, Empty, Field, FormDialog, Head, Loading, Time, Trouble, html, useAnswer, useState } from "../ui.js";

export default function Keys() {
  const all = useAnswer((signal) => call("listApiKeys", { signal }), "keys");
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState();
  const [revoking, setRevoking] = useState();
  return html`<${Head} title="API keys" actions=${may("createApiKey") && html`<${Button} kind="primary" onClick=${() => setMaking(true)}>New key…<//>`} />
    ${made && html`<section class="panel" aria-label="The new key"><p class="note">The secret of “${made.name}” is shown this once.</p><pre class="output" tabindex="0">MUSTER_KEY=${made.key}${"\n"}MUSTER_SECRET=${made.secret}</pre><${Button} onClick=${() => setMade()}>I have kept it<//></section>`}
    <${Trouble} problem=${all.problem} again=${all.reload} />
    ${!all.data ? !all.problem && html`<${Loading} />` : !all.data.length ? html`<${Empty} title="No program has a key here." />` : html`<div class="scroll" tabindex="0" role="region" aria-label="API keys"><table class="rows"><thead><tr><th scope="col">Name</th><th scope="col">Role</th><th scope="col" class="k3">Key</th><th scope="col" class="k2">Acts as</th><th scope="col" class="k2">Used</th><th scope="col"><span class="hidden">What to do</span></th></tr></thead>
      <tbody>${all.data.map((key) => html`<tr><td class="grow">${key.name} ${key.personal && html`<${Badge}>personal<//>`}</td><td>${key.role}</td><td class="k3 mono small">${key.key.slice(0, 10)}…</td><td class="k2">${key.userId}</td><td class="k2"><${Time} at=${key.lastUsedAt} ago=${true} /></td>
        <td>${may("revokeApiKey") && html`<${Button} aria-label=${`Revoke… ${key.name}`} onClick=${() => setRevoking(key)}>Revoke…<//>`}</td></tr>`)}</tbody></table></div>`}
    ${making && html`<${FormDialog} title="A key for a program" send="Make it" onClose=${() => setMaking(false)} onSend=${async (values) => {
      setMade(await call("createApiKey", { body: { name: values.name, role: values.role } }));
      all.reload();
    }}>${(problem) => html`<${Field} name="name" label="Name" required problem=${problem} /><${Field} as="select" name="role" label="Role" problem=${problem}>${["viewer", "operator", "integrator", "admin"].map((role) => html`<option value=${role}>${role}</option>`)}<//>`}<//>`}
    ${revoking && html`<${FormDialog} title=${`Revoke “${revoking.name}”?`} send="Revoke" danger=${true} onClose=${() => setRevoking()} onSend=${async () => {
      await call("revokeApiKey", { apiKeyId: revoking.id });
      all.reload();
    }}><p class="wide">Whatever uses it is refused from now on.</p><//>`}`;
}

