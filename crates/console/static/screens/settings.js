// Settings: account, contact methods, sessions and appearance.

import { call, may, session } from "../api.js";
import { DeleteDialog } from "../conflict.js";
import { FormDialog } from "../dialog.js";
import { Badge, Button, Empty, Facts, Head, Loading, Panel, Time, Trouble, html, personName } from "../elements.js";
import { Field } from "../form.js";
import { useAnswer, useState } from "../hooks.js";
import { zone } from "../time.js";
import { attempt, say } from "../toast.js";

/**
 * The fields of a contact method that are compared before it is deleted.
 * @type {[string, string, (one: any) => any][]}
 */
const FIELDS = [
  ["name", "Name", (one) => one.name],
  ["address", "Address", (one) => one.address || one.host],
  ["verified", "Verified", (one) => (one.verified ? "yes" : "no")],
];

/** The form of a notification rule: order and quiet hours. */
function Rule({ path, urgency, rule, methods, onClose, onDone }) {
  const [quiet, setQuiet] = useState(Boolean(rule?.quietHours));
  const before = (one) => rule?.steps.find((step) => step.contactMethod.id === one.id)?.after || "";
  const send = async (values) => {
    const steps = methods
      .filter((one) => values[`after ${one.id}`])
      .map((one) => ({ contactMethod: { id: one.id }, after: values[`after ${one.id}`] }));
    const quietHours = quiet ? { from: values.from, to: values.to, timeZone: values.timeZone } : undefined;
    const beforeShift = values.beforeShift?.trim() || undefined;
    await call("setNotificationRule", { ...path, body: { urgency, steps, quietHours, beforeShift } });
    onDone();
  };
  const { from = "22:00", to = "07:00", timeZone = zone } = rule?.quietHours || {};
  return html`<${FormDialog} title=${`Rule for ${urgency} urgency`} onSend=${send} onClose=${onClose}>
    ${(problem) => html`
      ${methods.map(
        (one) => html`<${Field}
          name=${`after ${one.id}`}
          label=${`${one.name}, after`}
          value=${before(one)}
          problem=${problem}
          hint="Such as 0s, 5m; empty: not at all"
        />`,
      )}
      <div class="field wide">
        <label class="inline">
          <input type="checkbox" checked=${quiet} onChange=${() => setQuiet(!quiet)} /> Quiet hours
        </label>
      </div>
      ${
        quiet &&
        html`
          <${Field} type="time" name="from" label="From" value=${from} required problem=${problem} />
          <${Field} type="time" name="to" label="To" value=${to} required problem=${problem} />
          <${Field} name="timeZone" label="Time zone" value=${timeZone} required problem=${problem} />
        `
      }
      ${
        urgency === "low" &&
        html`<${Field}
          name="beforeShift"
          label="Before my shift begins"
          value=${rule?.beforeShift || ""}
          problem=${problem}
          hint="Such as 30m; empty: not at all"
        />`
      }
    `}
  <//>`;
}

/** Takes the code that was sent to a contact method. */
function Verify({ path, method, onClose, onDone }) {
  const send = async (values) => {
    const { verified } = await call("verifyContactMethod", {
      ...path,
      contactMethodId: method.id,
      body: { code: values.code.trim() },
    });
    say(verified ? "Verified." : "That is not the code.");
    onDone();
  };
  return html`<${FormDialog}
    title=${`Verify “${method.name}”`}
    send="Verify"
    onSend=${send}
    onClose=${onClose}
  >
    ${(problem) => html`<${Field}
      name="code"
      label="Code"
      required
      inputmode="numeric"
      autocomplete="one-time-code"
      problem=${problem}
      hint="Six digits, good for 15 minutes"
    />`}
  <//>`;
}

/** Contact methods, and the rules that say in which order they are used. */
function ContactMethods({ user }) {
  const path = { tenantId: session.home, userId: user.id };
  const methods = useAnswer((signal) => call("listContactMethods", { ...path, signal }), "methods");
  const rules = useAnswer((signal) => call("listNotificationRules", { ...path, signal }), "rules");
  const [adding, setAdding] = useState("");
  const [verifying, setVerifying] = useState();
  const [changing, setChanging] = useState("");
  const list = methods.data;
  const known = Object.fromEntries((list || []).map((one) => [one.id, one.name]));
  const send = async (values) => {
    /** @type {Sent<"createContactMethod">} */
    const body =
      adding === "EMAIL"
        ? { name: values.name, type: "EMAIL", address: values.address }
        : { name: values.name, type: "HTTP", preset: values.preset, url: values.url };
    await call("createContactMethod", { ...path, body });
    methods.reload();
  };
  const code = async (one) =>
    (await attempt("Code sent.", () => call("sendContactMethodCode", { ...path, contactMethodId: one.id }))) &&
    setVerifying(one);
  const sendTest = async () => {
    const test = await attempt(undefined, () => call("testPaging", { tenantId: session.home, body: {} }));
    if (test)
      say(
        `Test page sent by ${test.pages.length === 1 ? "one contact method" : `${test.pages.length} contact methods`}.`,
      );
  };
  const [deleting, setDeleting] = useState();
  const onDeleted = () => {
    say(`“${deleting.name}” deleted.`);
    methods.reload();
    rules.reload();
  };
  const ofRules = rules.data || [];
  return html`<${Panel}
    title="Contact methods"
    id="reach"
    actions=${
      may("createContactMethod") &&
      html`
        ${list?.some((one) => one.verified) && html`<${Button} onClick=${sendTest}>Test paging<//>`}
        <${Button} onClick=${() => setAdding("EMAIL")}>Add e-mail…<//>
        <${Button} onClick=${() => setAdding("HTTP")}>Add push or chat…<//>
      `
    }
  >
    <${Trouble} problem=${methods.problem || rules.problem} again=${methods.reload} />
    ${
      list &&
      (list.length
        ? html`<ul class="plain-list">
            ${list.map(
              (one) => html`<li class="session">
                <div>
                  <strong>${one.name}</strong>${" "}
                  ${one.verified ? html`<${Badge} kind="good">verified<//>` : html`<${Badge}>not verified<//>`}
                  <div class="small dim">${one.address || [one.preset, one.host].filter(Boolean).join(" at ")}</div>
                </div>
                <div class="actions">
                  ${
                    !one.verified &&
                    html`<${Button} aria-label=${`Send a code to ${one.name}`} onClick=${() => code(one)}>
                      Send a code
                    <//>`
                  }
                  <${Button} aria-label=${`Delete… ${one.name}`} onClick=${() => setDeleting(one)}>Delete…<//>
                </div>
              </li>`,
            )}
          </ul>`
        : html`<${Empty} title="There is no contact method yet." />`)
    }
    ${ofRules.map(
      (rule) => html`
        <h3>Rule for ${rule.urgency} urgency</h3>
        <p>
          ${
            rule.steps?.length
              ? rule.steps
                  .map((step) => `${known[step.contactMethod.id] || step.contactMethod.id} after ${step.after}`)
                  .join(", then ")
              : "all verified contact methods at once"
          }
          ${rule.quietHours && `; not from ${rule.quietHours.from} to ${rule.quietHours.to}`}
          ${rule.beforeShift && `; ${rule.beforeShift} before a shift begins`}
        </p>
      `,
    )}
    ${
      list?.length > 0 &&
      may("setNotificationRule") &&
      html`<div class="actions">
        ${["high", "low"].map(
          (urgency) => html`<${Button} onClick=${() => setChanging(urgency)}>Edit rule for ${urgency} urgency…<//>`,
        )}
      </div>`
    }
    ${
      deleting &&
      html`<${DeleteDialog}
        title=${`Delete “${deleting.name}”?`}
        found=${deleting}
        fields=${FIELDS}
        read=${() => call("getContactMethod", { ...path, contactMethodId: deleting.id })}
        work=${(match) => call("deleteContactMethod", { ...path, contactMethodId: deleting.id, match })}
        onClose=${() => setDeleting()}
        onDone=${onDeleted}
      >
        <p>Nothing is sent there any more. If you add it again, you have to verify it again.</p>
      <//>`
    }
    ${
      verifying &&
      html`<${Verify} path=${path} method=${verifying} onClose=${() => setVerifying()} onDone=${methods.reload} />`
    }
    ${
      changing &&
      html`<${Rule}
        path=${path}
        urgency=${changing}
        rule=${ofRules.find((rule) => rule.urgency === changing)}
        methods=${list}
        onClose=${() => setChanging("")}
        onDone=${rules.reload}
      />`
    }
    ${
      adding &&
      html`<${FormDialog}
        title=${adding === "EMAIL" ? "New e-mail address" : "New push or chat address"}
        send="Add"
        onSend=${send}
        onClose=${() => setAdding("")}
        keep=${adding === "EMAIL" ? "contact method" : undefined}
      >
        ${(problem) => html`
          <${Field} name="name" label="Name" required maxlength="200" problem=${problem} />
          ${
            adding === "EMAIL"
              ? html`<${Field} type="email" name="address" label="Address" required problem=${problem} />`
              : html`
                  <${Field} as="select" name="preset" label="Kind" problem=${problem}>
                    ${["ntfy", "slack", "mattermost", "teams", "discord", "webhook"].map(
                      (one) => html`<option value=${one}>${one}</option>`,
                    )}
                  <//>
                  <${Field}
                    type="url"
                    name="url"
                    label="Address"
                    required
                    wide
                    problem=${problem}
                    hint="Stored encrypted and never shown again"
                  />
                `
          }
        `}
      <//>`
    }
  <//>`;
}

export default function Settings() {
  const all = useAnswer((signal) => call("listMySessions", { signal }), "sessions");
  const [theme, setTheme] = useState(localStorage.getItem("theme") || "");
  const choose = (value) => {
    setTheme(value);
    value ? localStorage.setItem("theme", value) : localStorage.removeItem("theme");
    value ? (document.documentElement.dataset.theme = value) : delete document.documentElement.dataset.theme;
  };
  const end = async (one) =>
    (await attempt("Signed out there.", () => call("endMySession", { sessionId: one.id }))) && all.reload();
  const out = async () => (await attempt("Signed out.", () => call("endSession"))) && location.assign("/");
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
        <div class="choices" role="group" aria-label="Appearance">
          ${[
            ["", "System"],
            ["light", "Light"],
            ["dark", "Dark"],
          ].map(
            ([value, title]) => html`<button
              type="button"
              aria-pressed=${theme === value ? "true" : "false"}
              onClick=${() => choose(value)}
            >
              ${title}
            </button>`,
          )}
        </div>
        <p class="dim small">Times are in ${zone}; point at one to see GMT.</p>
      <//>
    </div>
    <${ContactMethods} user=${user} />
    <${Panel} title="Sessions" id="sessions">
      <${Trouble} problem=${all.problem} again=${all.reload} />
      ${
        !all.data
          ? !all.problem && html`<${Loading} />`
          : html`<ul class="plain-list">
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
                  ${!one.current && html`<${Button} onClick=${() => end(one)}>Sign out there<//>`}
                </li>`,
              )}
              ${!all.data.length && html`<li class="dim">None: you are using an API key.</li>`}
            </ul>`
      }
    <//>
  `;
}
