// Settings: account, contact methods, time off, sessions, accounts of OpenID Connect, and appearance.

import { call, session } from "../api.js";
import { forgetAll } from "../dialog.js";
import { Button, Facts, Head, Panel, html, personName } from "../elements.js";
import { useAnswer, useState } from "../hooks.js";
import { applyLook } from "../look.js";
import { zone } from "../time.js";
import { TimeOff } from "../timeoff.js";
import { attempt } from "../toast.js";
import { ContactMethods } from "./contactmethods.js";
import { Identities, SessionList } from "./personaccess.js";

const COLOURS = [
  ["", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];
const DENSITIES = [
  ["", "Comfortable"],
  ["compact", "Compact"],
];

/** One of several looks, remembered by this browser. */
function Look({ name, label, options }) {
  const [chosen, setChosen] = useState(localStorage.getItem(name) || "");
  const choose = (value) => {
    setChosen(value);
    value ? localStorage.setItem(name, value) : localStorage.removeItem(name);
    applyLook();
  };
  return html`<div class="choices" role="group" aria-label=${label}>
    ${options.map(
      ([value, title]) => html`<button
        type="button"
        aria-pressed=${chosen === value ? "true" : "false"}
        onClick=${() => choose(value)}
      >
        ${title}
      </button>`,
    )}
  </div>`;
}

export default function Settings() {
  const all = useAnswer((signal) => call("listMySessions", { signal }), "sessions");
  const end = async (one) =>
    (await attempt("Signed out there.", () => call("endMySession", { sessionId: one.id }))) && all.reload();
  const out = async () => {
    if (!(await attempt("Signed out.", () => call("endSession")))) return;
    forgetAll();
    location.assign("/");
  };
  const { user } = session.me;
  return html`
    <${Head}
      title="Settings"
      actions=${all.data?.some((one) => one.current) && html`<${Button} onClick=${out}>Sign out<//>`}
    />
    <div class="columns">
      <${Panel} title="Account" id="me">
        <${Facts} of=${[
          ["Name", personName(user)],
          ["Login name", user.loginName],
          ["Role", session.role],
          ["Tenant", session.home],
          ["Time zone", zone],
        ]} />
      <//>
      <${Panel} title="Appearance" id="look">
        <div class="actions">
          <${Look} name="theme" label="Colours" options=${COLOURS} />
          <${Look} name="density" label="Density of lists" options=${DENSITIES} />
        </div>
        <p class="dim small">Times are in ${zone}; point at one to see GMT.</p>
      <//>
    </div>
    <${ContactMethods} user=${user} own=${true} />
    <${TimeOff} user=${user} own=${true} />
    <${Panel} title="Sessions" id="sessions">
      <${SessionList}
        all=${all}
        isOpen=${(one) => !one.current}
        end=${end}
        none="None: you are using an API key."
      />
    <//>
    <${Identities}
      of="me"
      read=${(signal) => call("listMyIdentities", { signal })}
      remove=${/** @type {const} */ ("deleteMyIdentities")}
    />
  `;
}
