// Settings: who I am here, where I am signed in, how it looks.

import { call, may, session } from "../api.js";
import { zone } from "../time.js";
import { Badge, Button, Empty, Facts, Field, FormDialog, Head, Loading, Panel, Time, Trouble, attempt, html, personName, useAnswer, useState } from "../ui.js";

/** How I am reached, and in which order. */
function Reach({ user }) {
  const path = { tenantId: session.home, userId: user.id };
  const methods = useAnswer((signal) => call("listContactMethods", { ...path, signal }), "methods");
  const rules = useAnswer((signal) => call("listNotificationRules", { ...path, signal }), "rules");
  const [adding, setAdding] = useState("");
  const list = methods.data;
  const known = Object.fromEntries((list || []).map((one) => [one.id, one.name]));
  const send = async (values) => {
    /** @type {Sent<"createContactMethod">} */
    const body = adding === "EMAIL" ? { name: values.name, type: "EMAIL", address: values.address } : { name: values.name, type: "HTTP", preset: values.preset, url: values.url };
    await call("createContactMethod", { ...path, body });
    methods.reload();
  };
  const remove = async (one) => (await attempt(`“${one.name}” is gone.`, () => call("deleteContactMethod", { ...path, contactMethodId: one.id }))) && (methods.reload(), rules.reload());
  const ofRules = rules.data || [];
  return html`<${Panel} title="How I am reached" id="reach" actions=${may("createContactMethod") && html`<${Button} onClick=${() => setAdding("EMAIL")}>Add e-mail…<//><${Button} onClick=${() => setAdding("HTTP")}>Add push or chat…<//>`}>
    <${Trouble} problem=${methods.problem || rules.problem} again=${methods.reload} />
    ${list && (list.length ? html`<ul class="plain-list">${list.map((one) => html`<li class="session"><div><strong>${one.name}</strong> ${one.verified ? html`<${Badge} kind="good">verified<//>` : html`<${Badge}>not verified<//>`}<div class="small dim">${one.address || [one.preset, one.host].filter(Boolean).join(" at ")}</div></div><${Button} aria-label=${`Delete ${one.name}`} onClick=${() => remove(one)}>Delete<//></li>`)}</ul>` : html`<${Empty} title="In no way yet." />`)}
    ${ofRules.map((rule) => html`<h3>When it is of ${rule.urgency} urgency</h3><p>${rule.steps?.length ? rule.steps.map((step) => `${known[step.contactMethod.id] || step.contactMethod.id} after ${step.after}`).join(", then ") : "all that is verified, at once"}${rule.quietHours && `; not from ${rule.quietHours.from} to ${rule.quietHours.to}`}</p>`)}
    ${adding && html`<${FormDialog} title=${adding === "EMAIL" ? "An e-mail address" : "A push service or a chat"} send="Add" onSend=${send} onClose=${() => setAdding("")}>${(problem) => html`
      <${Field} name="name" label="Name" required maxlength="200" problem=${problem} />
      ${adding === "EMAIL" ? html`<${Field} type="email" name="address" label="Address" required problem=${problem} />` : html`
        <${Field} as="select" name="preset" label="Kind" problem=${problem}>${["ntfy", "slack", "mattermost", "teams", "discord", "webhook"].map((one) => html`<option value=${one}>${one}</option>`)}<//>
        <${Field} type="url" name="url" label="Address" required wide problem=${problem} hint="Kept sealed, and never shown again" />`}`}<//>`}<//>`;
}

export default function Settings() {
  const all = useAnswer((signal) => call("listMySessions", { signal }), "sessions");
  const [theme, setTheme] = useState(localStorage.getItem("theme") || "");
  const choose = (value) => {
    setTheme(value);
    value ? localStorage.setItem("theme", value) : localStorage.removeItem("theme");
    value ? (document.documentElement.dataset.theme = value) : delete document.documentElement.dataset.theme;
  };
  const end = async (one) => (await attempt("Signed out there.", () => call("endMySession", { sessionId: one.id }))) && all.reload();
  const out = async () => (await attempt("Signed out.", () => call("endSession"))) && location.assign("/");
  const { user } = session.me;
  return html`<${Head} title="Settings" actions=${all.data?.some((one) => one.current) && html`<${Button} onClick=${out}>Sign out<//>`} />
    <div class="columns"><${Panel} title="Me" id="me"><${Facts} of=${[["Name", personName(user)], ["Login name", user.loginName], ["Role", session.role], ["Tenant", session.home], ["Zone", zone]]} /><//>
      <${Panel} title="Look" id="look"><div class="choices" role="group" aria-label="Look">${[["", "As the system"], ["light", "Light"], ["dark", "Dark"]].map(([value, title]) => html`<button type="button" aria-pressed=${theme === value ? "true" : "false"} onClick=${() => choose(value)}>${title}</button>`)}</div>
        <p class="dim small">Times are those of ${zone}; GMT is shown when you point at one.</p><//></div>
    <${Reach} user=${user} />
    <${Panel} title="Where I am signed in" id="sessions"><${Trouble} problem=${all.problem} again=${all.reload} />
      ${!all.data ? !all.problem && html`<${Loading} />` : html`<ul class="plain-list">${all.data.map((one) => html`<li class="session"><div><strong>${one.userAgent || "A browser"}</strong> ${one.current && html`<${Badge} kind="good">this one<//>`}<div class="small dim">by ${one.method}, since <${Time} at=${one.createdDate} />, used <${Time} at=${one.lastUsedAt} ago=${true} /></div></div>
        ${!one.current && html`<${Button} onClick=${() => end(one)}>Sign out there<//>`}</li>`)}${!all.data.length && html`<li class="dim">Nowhere: this caller came with a key.</li>`}</ul>`}<//>`;
}
