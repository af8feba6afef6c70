// Routing: rules that select a policy for an alert, escalation policies and their steps.

import { call, may } from "../api.js";
import { DeleteDialog } from "../conflict.js";
import { FormDialog } from "../dialog.js";
import { Badge, Button, Empty, Facts, Head, Loading, Panel, Trouble, html, personName } from "../elements.js";
import { Field } from "../form.js";
import { useAnswer, useState } from "../hooks.js";
import { link, refine } from "../route.js";
import { say } from "../toast.js";
import { Explain } from "./explain.js";

const OPERATORS = ["Equals", "NotEquals", "Contains", "NotContains", "Startswith", "Endswith", "Regex"];
const MOST_STEPS = 4;

const rulesOf = (route) =>
  (route.rules || [])
    .map((rule) => `${rule.key} ${rule.operator} ${rule.value ?? ""}`)
    .join(route.matchingType === "ANY" ? " or " : " and ");

/** @type {[string, string, (one: any) => any][]} */
const ROUTE_FIELDS = [
  ["name", "Name", (one) => one.name],
  ["rules", "Rules", rulesOf],
  ["policy", "Goes to", (one) => one.policy.id],
  ["position", "Position", (one) => one.position],
];
/** @type {[string, string, (one: any) => any][]} */
const POLICY_FIELDS = [
  ["name", "Name", (one) => one.name],
  ["description", "Description", (one) => one.description],
  ["steps", "Steps", (one) => JSON.stringify(one.steps)],
  ["repeat", "Repeated", (one) => one.repeat],
];

/** A target in words; names are looked up in what was loaded. */
function target(one, names) {
  if (one.owner) return "the owner of the machine";
  const found = one.roster || one.user || one.userGroup || one.integration || {};
  const id = found.id || found.uniqueId || "";
  const name = names.get(id) || found.name || personName(found) || id;
  if (one.roster) return html`the person on call in <strong>${name}</strong>${one.level ? `, level ${one.level}` : ""}`;
  if (one.userGroup) return html`everybody in <strong>${name}</strong>`;
  return one.integration ? html`the integration <strong>${name}</strong>` : html`<strong>${name}</strong>`;
}

function Policy({ policy, names, onRemove }) {
  return html`<${Panel}
    title=${policy.name}
    id="policy"
    actions=${html`
      ${may("deleteEscalationPolicy") && html`<${Button} kind="danger" onClick=${onRemove}>Delete…<//>`}
      <button type="button" class="link" onClick=${() => refine({ policy: "" })}>Close</button>
    `}
  >
    ${policy.description && html`<p>${policy.description}</p>`}
    <ol class="course">
      ${(policy.steps || []).map(
        (step, place) => html`<li>
          <span class="dim">${place ? `then` : "first"}</span>
          <div>
            ${step.targets.map((one, at) => html`${at > 0 && ", and "}${target(one, names)}`)}
            <div class="dim small">${step.wait || "5m"} to answer</div>
          </div>
        </li>`,
      )}
    </ol>
    <${Facts} of=${[
      ["Repeated", policy.repeat > 0 && (policy.repeat === 1 ? "once" : `${policy.repeat} times`)],
      ["After the last step", policy.atEnd === "REPEAT_LAST" ? "the last step is repeated until somebody answers" : ""],
      ["Acknowledgement timeout", policy.ackTimeout],
      ["Urgency", policy.urgency],
    ]} />
  <//>`;
}

function NewPolicy({ rosters, people, onClose, onDone }) {
  const send = async (values) => {
    const steps = [];
    for (let place = 1; place <= MOST_STEPS; place += 1) {
      const [kind, id] = (values[`target${place}`] || "").split(" ");
      if (kind)
        steps.push({
          targets: [kind === "owner" ? { owner: true } : { [kind]: { id } }],
          wait: values[`wait${place}`] || undefined,
        });
    }
    const made = await call("createEscalationPolicy", {
      body: {
        name: values.name,
        steps,
        repeat: Number(values.repeat || 0),
        ackTimeout: values.ackTimeout || undefined,
      },
    });
    onDone(made.id);
  };
  const steps = Array.from({ length: MOST_STEPS }, (_, place) => place + 1);
  return html`<${FormDialog}
    title="New escalation policy"
    send="Create"
    onSend=${send}
    onClose=${onClose}
    keep="policy"
    wide=${true}
  >
    ${(problem) => html`
      <${Field} name="name" label="Name" required maxlength="200" problem=${problem} wide />
      ${steps.map(
        (place) => html`
          <${Field}
            as="select"
            name=${`target${place}`}
            label=${place === 1 ? "First" : "Then"}
            problem=${problem}
            required=${place === 1}
          >
            <option value="">${place === 1 ? "choose…" : "no further step"}</option>
            ${rosters.map((roster) => html`<option value=${`roster ${roster.id}`}>on call in ${roster.name}</option>`)}
            ${people.map((user) => html`<option value=${`user ${user.id}`}>${personName(user)}</option>`)}
            <option value="owner">the owner of the machine</option>
          <//>
          <${Field}
            name=${`wait${place}`}
            label="Time to answer"
            value=${place === 1 ? "5m" : "10m"}
            problem=${problem}
            hint=${place === 1 ? "Such as 30s, 5m, 1h" : undefined}
          />
        `,
      )}
      <${Field} type="number" min="0" max="20" name="repeat" label="Repetitions" value="0" problem=${problem} />
      <${Field}
        name="ackTimeout"
        label="Acknowledgement timeout"
        problem=${problem}
        hint="Such as 30m; empty: none"
      />
    `}
  <//>`;
}

function NewRoute({ policies, onClose, onDone }) {
  const send = async (values) => {
    const rules = values.key ? [{ key: values.key, operator: values.operator, value: values.value }] : undefined;
    const position = values.position ? Number(values.position) : undefined;
    await call("createAlertRoute", {
      body: {
        name: values.name,
        matchingType: "ALL",
        rules,
        isDefault: rules ? undefined : true,
        position,
        policy: { id: values.policy },
      },
    });
    onDone();
  };
  return html`<${FormDialog} title="New route" send="Create" onSend=${send} onClose=${onClose} keep="route">
    ${(problem) => html`
      <${Field} name="name" label="Name" required maxlength="200" problem=${problem} />
      <${Field} as="select" name="policy" label="Goes to" required problem=${problem}>
        ${policies.map((policy) => html`<option value=${policy.id}>${policy.name}</option>`)}
      <//>
      <${Field}
        name="key"
        label="Field"
        problem=${problem}
        hint="Such as currentState, metric, tags.env. Empty: default route, for alerts that match no other"
      />
      <${Field} as="select" name="operator" label="Operator" problem=${problem}>
        ${OPERATORS.map((one) => html`<option value=${one}>${one}</option>`)}
      <//>
      <${Field} name="value" label="Value" problem=${problem} />
      <${Field} type="number" name="position" label="Position" problem=${problem} hint="Lower ones are tried first" />
    `}
  <//>`;
}

export default function Routing({ query }) {
  const [open, setOpen] = useState("");
  const [deleting, setDeleting] = useState(/** @type {{route?: any, policy?: any}} */ ({}));
  const all = useAnswer(
    async (signal) => {
      const list = async (/** @type {any} */ name) =>
        (await /** @type {Promise<any>} */ (call(name, { signal, query: { pageSize: 200 } }))).results;
      const [routes, policies, rosters, people, groups] = await Promise.all([
        list("searchAlertRoutes"),
        list("searchEscalationPolicies"),
        list("searchRosters"),
        list("searchUsers"),
        list("searchUserGroups"),
      ]);
      return { routes, policies, rosters, groups, people: people.filter((user) => user.activated) };
    },
    "all",
    60e3,
  );
  if (!all.data)
    return html`
      <${Head} title="Routing" />
      ${all.problem ? html`<${Trouble} problem=${all.problem} again=${all.reload} />` : html`<${Loading} />`}
    `;
  const { routes, policies, rosters, people, groups } = all.data;
  const names = new Map([
    ...rosters.map((one) => [one.id, one.name]),
    ...people.map((one) => [one.id, personName(one)]),
    ...groups.map((one) => [one.uniqueId, one.name]),
  ]);
  const chosen = policies.find((one) => one.id === query.get("policy"));
  const policyName = (id) => policies.find((one) => one.id === id)?.name || id;
  const afterDelete = (text) => () => {
    say(text);
    all.reload();
  };
  const close = () => setOpen("");
  return html`
    <${Head} title="Routing" />
    <${Trouble} problem=${all.problem} again=${all.reload} />
    <div class="columns">
      <${Panel}
        title="Routing rules"
        id="routes"
        actions=${
          may("createAlertRoute") &&
          policies.length > 0 &&
          html`<${Button} onClick=${() => setOpen("route")}>New route…<//>`
        }
      >
        ${
          routes.length
            ? html`<ol class="course">
                ${routes.map(
                  (route) => html`<li>
                    <span class="dim">${route.isDefault ? "default" : "when"}</span>
                    <div>
                      <strong>${route.name}</strong> →${" "}
                      <a href=${link("routing", { policy: route.policy.id })}>${policyName(route.policy.id)}</a>
                      <div class="dim small">${rulesOf(route)}</div>
                      ${
                        may("deleteAlertRoute") &&
                        html`<button
                          type="button"
                          class="link"
                          aria-label=${`Delete… ${route.name}`}
                          onClick=${() => setDeleting({ route })}
                        >
                          Delete…
                        </button>`
                      }
                    </div>
                  </li>`,
                )}
              </ol>`
            : html`<${Empty} title="There is no route yet.">
                An alert goes to the first route whose rules it matches.
              <//>`
        }
      <//>
      <${Panel}
        title="Escalation policies"
        id="policies"
        actions=${may("createEscalationPolicy") && html`<${Button} onClick=${() => setOpen("policy")}>New policy…<//>`}
      >
        ${
          policies.length
            ? html`<ul class="plain-list">
                ${policies.map(
                  (policy) => html`<li>
                    <a
                      href=${link("routing", { policy: policy.id })}
                      aria-current=${policy.id === chosen?.id ? "true" : undefined}
                    >
                      ${policy.name}
                    </a>${" "}
                    <${Badge}>${(policy.steps || []).length} ${(policy.steps || []).length === 1 ? "step" : "steps"}<//>
                  </li>`,
                )}
              </ul>`
            : html`<${Empty} title="There is no policy yet.">
                A policy says who is notified first, and who is next when nobody answers.
              <//>`
        }
      <//>
    </div>
    ${chosen && html`<${Policy} policy=${chosen} names=${names} onRemove=${() => setDeleting({ policy: chosen })} />`}
    <${Explain} query=${query} target=${(one) => target(one, names)} groupName=${(id) => names.get(id) || id} />
    ${
      open === "policy" &&
      html`<${NewPolicy}
        rosters=${rosters}
        people=${people}
        onClose=${close}
        onDone=${(id) => {
          all.reload();
          refine({ policy: id });
        }}
      />`
    }
    ${open === "route" && html`<${NewRoute} policies=${policies} onClose=${close} onDone=${all.reload} />`}
    ${
      deleting.route &&
      html`<${DeleteDialog}
        title=${`Delete “${deleting.route.name}”?`}
        found=${deleting.route}
        fields=${ROUTE_FIELDS}
        read=${() => call("getAlertRoute", { routeId: deleting.route.id })}
        work=${(match) => call("deleteAlertRoute", { routeId: deleting.route.id, match })}
        onClose=${() => setDeleting({})}
        onDone=${afterDelete("Route deleted.")}
      >
        <p>Its alerts go to the next route whose rules they match.</p>
      <//>`
    }
    ${
      deleting.policy &&
      html`<${DeleteDialog}
        title=${`Delete “${deleting.policy.name}”?`}
        found=${deleting.policy}
        fields=${POLICY_FIELDS}
        read=${() => call("getEscalationPolicy", { policyId: deleting.policy.id })}
        work=${(match) => call("deleteEscalationPolicy", { policyId: deleting.policy.id, match })}
        onClose=${() => setDeleting({})}
        onDone=${() => {
          refine({ policy: "" });
          afterDelete("Policy deleted.")();
        }}
      >
        <p>It no longer notifies anybody.</p>
      <//>`
    }
  `;
}
