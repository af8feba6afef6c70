// How a person is reached: contact methods, the codes that verify them, and the rules that say when each is used.

import { call, may, session } from "../api.js";
import { DeleteDialog } from "../conflict.js";
import { Badge, Button, Empty, Panel, Trouble, html } from "../elements.js";
import { useAnswer, useState } from "../hooks.js";
import { RecordDialog } from "../recorddialog.js";
import { attempt, say } from "../toast.js";
import { Rule, Verify } from "./contactforms.js";

/**
 * The fields of a contact method that are compared before it is deleted.
 * @type {[string, string, (one: any) => any][]}
 */
const FIELDS = [
  ["name", "Name", (one) => one.name],
  ["address", "Address", (one) => one.address || one.host],
  ["verified", "Verified", (one) => (one.verified ? "yes" : "no")],
];

/** Fields that contact methods of a preset have beside name and URL. */
const LOGIN = ["userName", "password", "token"];
const NEEDS = {
  webhook: [...LOGIN, "template", "contentType"],
  ntfy: LOGIN,
  telegram: ["chatId"],
  sms: ["to", "from", ...LOGIN],
  voice: ["to", "from", ...LOGIN],
  twilio: ["to", "from", "userName", "password"],
  twilioVoice: ["to", "from", "userName", "password"],
};

/** How the form of a contact method is laid out: the fields that its kind has. */
function layoutOf({ type, preset }) {
  const needs = NEEDS[preset || "webhook"] || [];
  const optional = ["userName", "password", "token", "template", "contentType", "from"];
  const all = [...LOGIN, "template", "contentType", "to", "from", "chatId"];
  return {
    order: ["name", "preset", "url", "address", "to", "from", "chatId", ...LOGIN],
    omit:
      type === "EMAIL"
        ? ["type", "preset", "url", ...all, ...(may("updateUser") ? [] : ["verified"])]
        : [
            "type",
            "address",
            ...all.filter((name) => !needs.includes(name)),
            ...(may("updateUser") ? [] : ["verified"]),
          ],
    more: preset?.startsWith("twilio") ? ["verified"] : [...optional, "verified"],
    labels: { preset: "Kind", url: "Address", userName: "User name", chatId: "Chat", to: "Number", from: "Caller" },
    fields: {
      url: { max: undefined, about: "Stored encrypted and never shown again", required: type === "HTTP" },
      preset: { about: "" },
      token: { max: 900 },
    },
  };
}

/** A contact method as a request has it: without the fields of other kinds. */
function requestFor(request, value) {
  const { omit } = layoutOf(value);
  return Object.fromEntries(Object.entries(request).filter(([name]) => name === "type" || !omit.includes(name)));
}

/**
 * Contact methods of a person, and the rules that say in which order they are used.
 * @param {{user: any, own?: boolean}} given
 */
export function ContactMethods({ user, own = false }) {
  const path = { tenantId: own ? session.home : session.tenant, userId: user.id };
  const methods = useAnswer((signal) => call("listContactMethods", { ...path, signal }), user.id);
  const rules = useAnswer((signal) => call("listNotificationRules", { ...path, signal }), user.id);
  const [adding, setAdding] = useState("");
  const [verifying, setVerifying] = useState();
  const [editing, setEditing] = useState();
  const [changing, setChanging] = useState("");
  const list = methods.data;
  const known = Object.fromEntries((list || []).map((one) => [one.id, one.name]));
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
        ${own && list?.some((one) => one.verified) && html`<${Button} onClick=${sendTest}>Test paging<//>`}
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
                  ${
                    may("updateContactMethod") &&
                    html`<${Button} aria-label=${`Edit… ${one.name}`} onClick=${() => setEditing(one)}>Edit…<//>`
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
      html`<${RecordDialog}
        title=${adding === "EMAIL" ? "New e-mail address" : "New push or chat address"}
        operation=${/** @type {const} */ ("createContactMethod")}
        path=${path}
        values=${adding === "EMAIL" ? { type: adding } : { type: adding, preset: "ntfy" }}
        layout=${layoutOf}
        body=${requestFor}
        send="Add"
        onClose=${() => setAdding("")}
        onDone=${methods.reload}
      />`
    }
    ${
      editing &&
      html`<${RecordDialog}
        title=${`Edit “${editing.name}”`}
        operation=${/** @type {const} */ ("updateContactMethod")}
        path=${{ ...path, contactMethodId: editing.id }}
        record=${editing}
        read=${() => call("getContactMethod", { ...path, contactMethodId: editing.id })}
        layout=${(value) => {
          const layout = layoutOf(value);
          return { ...layout, fields: { ...layout.fields, url: { ...layout.fields.url, required: false } } };
        }}
        onClose=${() => setEditing()}
        onDone=${methods.reload}
      />`
    }
  <//>`;
}
