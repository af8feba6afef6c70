// People: who works here, and links that sign them in.

import { call, may, terms } from "../api.js";
import { link, refine } from "../route.js";
import { Badge, Button, Empty, Facts, Head, Panel, Rows, Search, Time, Trouble, attempt, html, personName, useAnswer, useList, useState } from "../ui.js";

function Person({ id, onChange }) {
  const answer = useAnswer((signal) => call("getUser", { userId: id, signal }), id);
  const [signIn, setSignIn] = useState();
  const user = answer.data;
  if (!user) return html`<${Trouble} problem=${answer.problem} />`;
  /** @param {"activateUser" | "deactivateUser"} name */
  const turn = async (name, said) => (await attempt(said, () => call(name, { userId: id, body: {} }))) && (answer.reload(), onChange());
  const invite = async () => setSignIn(await attempt("A link was made.", () => call("createSignInLink", { userId: id, body: {} })));
  return html`<${Panel} title=${personName(user)} id="person" actions=${html`<button type="button" class="link" onClick=${() => refine({ user: "" })}>Close</button>`}>
    <${Facts} of=${[["Login name", user.loginName], ["Role", user.role], ["E-mail", user.email], ["Telephone", user.phoneNumber], ["Mobile", user.mobileNumber], ["In use", user.activated ? "yes" : "no"], ["Tenant", user.tenantId], ["Since", html`<${Time} at=${user.createdDate} />`]]} />
    <div class="actions">
      ${user.activated && may("createSignInLink") && html`<${Button} onClick=${invite}>Make a sign-in link<//>`}
      ${user.activated && may("deactivateUser") && html`<${Button} kind="danger" onClick=${() => turn("deactivateUser", "Deactivated.")}>Deactivate<//>`}
      ${!user.activated && may("activateUser") && html`<${Button} onClick=${() => turn("activateUser", "Activated.")}>Activate<//>`}</div>
    ${signIn && html`<p class="note">Send this to ${personName(user)}; it works once, until <${Time} at=${signIn.expires} />, and is not shown again.</p><pre class="output" tabindex="0">${signIn.url}</pre>`}<//>`;
}

export default function People({ query }) {
  const text = query.get("q") || "";
  const list = useList("searchUsers", { queryString: terms({ loginName: text }), sortName: "loginName", isDescendingOrder: "false", pageSize: 100 });
  const columns = [
    { title: "Name", main: true, class: "grow", cell: personName, below: (row) => html`<span class="dim">${row.loginName}</span>` },
    { title: "Role", cell: (row) => row.role },
    { title: "E-mail", keep: 2, cell: (row) => row.email },
    { title: "Mobile", keep: 3, cell: (row) => row.mobileNumber },
    { title: "", cell: (row) => (row.activated ? "" : html`<${Badge} kind="quiet">not in use<//>`) },
  ];
  return html`<${Head} title="People" />
    <div class="filters"><${Search} value=${text} onValue=${(value) => refine({ q: value })} label="Login name contains" placeholder="Login name contains…" /></div>
    ${query.get("user") && html`<${Person} key=${query.get("user")} id=${query.get("user")} onChange=${list.reload} />`}
    <${Rows} list=${list} columns=${columns} label="People" href=${(row) => link("people", { q: text, user: row.id })} empty=${html`<${Empty} title="Nobody matches." />`} />`;
}
