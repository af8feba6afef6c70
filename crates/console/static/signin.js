// What is there for people who are not signed in: how they sign in, and a form that mails them a link.

import { call } from "./api.js";
import { Button, Trouble, html } from "./elements.js";
import { Field } from "./form.js";
import { useEffect, useRef, useState } from "./hooks.js";
import { rememberAddress } from "./route.js";

function LinkForm() {
  const [minutes, setMinutes] = useState(0);
  const [problem, setProblem] = useState();
  const [busy, setBusy] = useState(false);
  const sending = useRef(false);
  const send = async (event) => {
    event.preventDefault();
    if (sending.current) return;
    sending.current = true;
    setBusy(true);
    try {
      const email = String(new FormData(event.currentTarget).get("email"));
      const { validMinutes } = await call("requestSignInLink", { body: { email } });
      setMinutes(validMinutes);
    } catch (found) {
      setProblem(found);
    }
    sending.current = false;
    setBusy(false);
  };
  if (minutes)
    return html`<p role="status">
      If the address belongs to a person here, a link is on its way. It is valid for ${minutes} minutes.
    </p>`;
  return html`<form class="link-form" onSubmit=${send}>
    <${Field}
      label="E-mail address"
      name="email"
      type="email"
      autocomplete="email"
      maxlength="254"
      required
      problem=${problem}
    />
    ${problem && !problem.errors.length && html`<${Trouble} problem=${problem} />`}
    <button class="button primary" aria-disabled=${busy ? "true" : undefined}>Send me a sign-in link</button>
  </form>`;
}

export function SignedOut({ problem }) {
  useEffect(rememberAddress, []);
  return html`<main class="signed-out">
    <h1>Not signed in</h1>
    <p>Open your sign-in link on this browser, and you come back here. A link can be mailed to you:</p>
    <${LinkForm} />
    <p>An administrator makes one for you, too, or the operator of the service runs:</p>
    <pre><code>muster user sign-in YOUR-LOGIN-NAME</code></pre>
    ${problem && problem.status !== 401 && html`<${Trouble} problem=${problem} />`}
    <p><${Button} onClick=${() => location.reload()}>Try again<//> <a href="/">Other ways to sign in</a></p>
  </main>`;
}
