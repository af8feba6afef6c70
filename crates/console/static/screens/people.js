// People: who works here, what they may do, and links that sign them in.

import { call, may, quoted, terms } from "../api.js";
import { useVersionedAction } from "../conflict.js";
import { Copyable } from "../copy.js";
import { FormDialog } from "../dialog.js";
import { EditDialog } from "../editdialog.js";
import { Badge, Button, Empty, Facts, Head, Panel, Time, Trouble, html, personName } from "../elements.js";
import { Choice, Field, Search } from "../form.js";
import { useAnswer, useList, useMemo, useState } from "../hooks.js";
import { isProgram } from "../peoplesearch.js";
import { link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";
import { TimeOff } from "../timeoff.js";
import { attempt } from "../toast.js";
import { PersonAccess } from "./personaccess.js";
import { isOurs } from "./usergroups.js";

export const ROLES = ["viewer", "operator", "integrator", "admin"];

/**
 * What a person has: the name in the interface, what it is called here, its value.
 * @type {[string, string, (user: any) => string][]}
 */
const FIELDS = [
  ["loginName", "Login name"],
  ["firstName", "First name"],
  ["lastName", "Last name"],
  ["email", "E-mail"],
  ["phoneNumber", "Telephone"],
  ["mobileNumber", "Mobile"],
  ["role", "Role"],
].map(([name, label]) => [name, label, (user) => user[name]]);

/** @type {[string, string, (user: any) => string]} */
const IN_USE = ["activated", "Active", (user) => (user.activated ? "yes" : "no")];

/**
 * The controls of a person.
 * @param {any} problem
 * @param {any} [user]
 */
function fields(problem, user) {
  return html`
    <${Field}
      name="loginName"
      label="Login name"
      value=${user?.loginName}
      required
      maxlength="100"
      problem=${problem}
    />
    <${Field} as="select" name="role" label="Role" problem=${problem}>
      ${ROLES.map(
        (role) => html`<option value=${role} selected=${role === (user?.role || "operator")}>${role}</option>`,
      )}
    <//>
    <${Field} name="firstName" label="First name" value=${user?.firstName} problem=${problem} />
    <${Field} name="lastName" label="Last name" value=${user?.lastName} problem=${problem} />
    <${Field} type="email" name="email" label="E-mail" value=${user?.email} problem=${problem} />
    <${Field} name="phoneNumber" label="Telephone" value=${user?.phoneNumber} problem=${problem} />
    <${Field} name="mobileNumber" label="Mobile" value=${user?.mobileNumber} problem=${problem} />
  `;
}

function Person({ id, onChange }) {
  const answer = useAnswer((signal) => call("getUser", { userId: id, signal }), id);
  const [signIn, setSignIn] = useState();
  const [editing, setEditing] = useState(false);
  const [more, setMore] = useState(false);
  const user = answer.data;
  const fresh = (now) => {
    answer.renew(now);
    onChange();
  };
  const guard = useVersionedAction({
    fields: [...FIELDS, IN_USE],
    read: () => call("getUser", { userId: id }),
    onDone: fresh,
  });
  if (!user) return html`<${Trouble} problem=${answer.problem} />`;
  /** @param {"activateUser" | "deactivateUser"} name */
  const setActive = (name, label, message) =>
    guard.act({ label, message, found: user, work: (match) => call(name, { userId: id, match, body: {} }) });
  const invite = async () =>
    setSignIn(await attempt("Link created.", () => call("createSignInLink", { userId: id, body: {} })));
  // A client does not change its partner's people, and keys are changed where keys are.
  const ours = isOurs(user) && !isProgram(user);
  return html`<${Panel}
    title=${personName(user)}
    id="person"
    actions=${html`<button type="button" class="link" onClick=${() => refine({ user: "" })}>Close</button>`}
  >
    <${Facts} of=${[
      ...[...FIELDS, IN_USE].map(([, label, value]) => [label, value(user)]),
      ["Tenant", user.tenantId],
      ["Since", html`<${Time} at=${user.createdDate} />`],
    ]} />
    <div class="actions">
      ${ours && may("updateUser") && html`<${Button} onClick=${() => setEditing(true)}>Change…<//>`}
      ${ours && user.activated && may("createSignInLink") && html`<${Button} onClick=${invite}>Create sign-in link<//>`}
      ${
        ours &&
        user.activated &&
        may("deactivateUser") &&
        html`<${Button} kind="danger" onClick=${() => setActive("deactivateUser", "Deactivate", "Deactivated.")}>
          Deactivate
        <//>`
      }
      ${
        ours &&
        !user.activated &&
        may("activateUser") &&
        html`<${Button} onClick=${() => setActive("activateUser", "Activate", "Activated.")}>Activate<//>`
      }
    </div>
    ${
      signIn &&
      html`
        <p class="note">
          Send this to ${personName(user)}; it works once, until <${Time} at=${signIn.expires} />, and is not shown
          again.
        </p>
        <${Copyable} label="Sign-in link" text=${signIn.url} />
      `
    }
    ${
      ours &&
      may("listUserSessions") &&
      html`<details onToggle=${(event) => setMore(event.currentTarget.open)}>
        <summary>Sessions, sign-in accounts and contact methods</summary>
        ${more && html`<${PersonAccess} user=${user} />`}
      </details>`
    }
    ${ours && html`<${TimeOff} user=${user} />`}
    ${guard.conflict}
    ${
      editing &&
      html`<${EditDialog}
        title=${`Change ${personName(user)}`}
        of=${user}
        fields=${FIELDS}
        read=${() => call("getUser", { userId: id })}
        keep=${`person ${id} ${user.updatedDate}`}
        write=${(changed, match) => call("updateUser", { userId: id, match, body: changed })}
        onClose=${() => setEditing(false)}
        onDone=${fresh}
      >
        ${(problem) => fields(problem, user)}
      <//>`
    }
  <//>`;
}

/** What people are searched by. */
const BY = [
  ["name", "name"],
  ["loginName", "login name"],
  ["email", "e-mail address"],
];

export default function People({ query }) {
  const text = query.get("q") || "";
  const by = query.get("by") || "name";
  const [creating, setCreating] = useState(false);
  const list = useList("searchUsers", {
    queryString: terms({ [by]: quoted(text) }),
    sortName: "loginName",
    isDescendingOrder: "false",
    pageSize: 100,
  });
  // Users that API keys act as are not people.
  const rows = useMemo(() => list.rows?.filter((user) => !isProgram(user)), [list.rows]);
  const total = list.rows && list.total - (list.rows.length - rows.length);
  const create = async (values) => {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value));
    const made = await call("createUser", { body: /** @type {any} */ (given) });
    list.reload();
    refine({ user: made.id });
  };
  const columns = [
    {
      title: "Name",
      main: true,
      class: "grow",
      cell: personName,
      below: (row) => html`<span class="dim">${row.loginName}</span>`,
    },
    { title: "Role", cell: (row) => row.role },
    { title: "E-mail", keep: 2, cell: (row) => row.email },
    { title: "Mobile", keep: 3, cell: (row) => row.mobileNumber },
    { title: "", cell: (row) => (row.activated ? "" : html`<${Badge} kind="quiet">inactive<//>`) },
  ];
  return html`
    <${Head}
      title="People"
      actions=${may("createUser") && html`<${Button} kind="primary" onClick=${() => setCreating(true)}>New person…<//>`}
    />
    <div class="filters">
      <${Search}
        value=${text}
        onValue=${(value) => refine({ q: value })}
        label="Search people"
        placeholder="Search…"
      />
      <${Choice}
        label="By"
        value=${by}
        options=${BY}
        onValue=${(value) => refine({ by: value === "name" ? "" : value })}
      />
    </div>
    ${query.get("user") && html`<${Person} key=${query.get("user")} id=${query.get("user")} onChange=${list.reload} />`}
    <${Rows}
      list=${{ ...list, rows, total }}
      columns=${withClient(columns)}
      label="People"
      href=${(row) => link("people", { q: text, by: query.get("by") || "", user: row.id })}
      empty=${html`<${Empty} title="Nobody matches." />`}
    />
    ${
      creating &&
      html`<${FormDialog}
        title="New person"
        send="Create"
        onSend=${create}
        onClose=${() => setCreating(false)}
        keep="person"
      >
        ${(problem) => fields(problem)}
      <//>`
    }
  `;
}
