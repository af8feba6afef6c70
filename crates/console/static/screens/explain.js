// The explanation of paging: every decision about an alert, in order. The question is in the address.

import { call } from "../api.js";
import { Badge, Empty, Loading, Panel, Time, Trouble, html } from "../elements.js";
import { Field } from "../form.js";
import { useAnswer } from "../hooks.js";
import { link, refine } from "../route.js";
import { fromInput, millis, toInput } from "../time.js";

const STATES = ["Critical", "Warning", "Info", "Ok"];

/** The question in an address; nothing when it is incomplete. */
export function questionFrom(query) {
  const of = (name) => query.get(name)?.trim() || undefined;
  if (of("alert")) return { alertId: of("alert"), at: of("at") };
  if (!of("host")) return undefined;
  return {
    alert: {
      subject: of("subject") || "Who would be told?",
      currentState: of("state") || "Critical",
      metric: of("metric"),
      device: { hostName: of("host") },
    },
    at: of("at"),
  };
}

const Decision = ({ what, children, kind = "" }) => html`<li class=${kind}>
  <span class="dim">${what}</span>
  <div>${children}</div>
</li>`;

function Rule({ rule }) {
  const found = rule.found?.length ? rule.found.join(", ") : "nothing";
  return html`<li>
    <${Badge} kind=${rule.holds ? "good" : "quiet"}>${rule.holds ? "holds" : "does not hold"}<//>${" "}
    <span class="mono">${rule.key}</span> ${rule.operator}${" "}
    ${rule.value && html`<span class="mono">${rule.value}</span>`} <span class="dim">– found: ${found}</span>
  </li>`;
}

function Route({ route }) {
  return html`<div>
    <strong>${route.name || "A partner route"}</strong>${" "}
    <${Badge} kind=${route.takes ? "good" : "quiet"}>${route.takes ? "matches" : "does not match"}<//>
    ${route.isDefault && html` <span class="dim small">default route</span>`}
    ${
      route.rules?.length > 0 &&
      html`<ul class="rules small">${route.rules.map((rule) => html`<${Rule} rule=${rule} />`)}</ul>`
    }
  </div>`;
}

/** A person, with their contact methods and times. */
function NotifiedUser({ user }) {
  return html`<li>
    <strong>${user.name}</strong>${" "}
    ${
      user.gap
        ? html`<span class="gaps">${user.gap}</span>`
        : html`<span class="dim">
            by${" "}
            ${user.through.map(
              (way, at) => html`${at > 0 && ", "}${way.contactMethod.type.toLowerCase()} <${Time} at=${way.at} />`,
            )}
          </span>`
    }
  </li>`;
}

function Step({ step, target }) {
  return html`<${Decision} what=${html`step ${step.step}, <${Time} at=${step.at} />`}>
    ${step.targets.map(
      (one) => html`<div>
        ${target(one.target)}
        ${one.gap && html`<div class="gaps">${one.gap}</div>`}
        ${one.users.length > 0 && html`<ul>${one.users.map((user) => html`<${NotifiedUser} user=${user} />`)}</ul>`}
      </div>`,
    )}
  <//>`;
}

/**
 * All decisions about a question; `target` words a target of a step, `groupName` a user group by its id.
 */
function Decisions({ question, target, groupName }) {
  const answer = useAnswer((signal) => call("explainPaging", { body: question, signal }), JSON.stringify(question));
  if (answer.problem) return html`<${Trouble} problem=${answer.problem} again=${answer.reload} />`;
  if (!answer.data) return html`<${Loading} />`;
  /** @type {any} */
  const { at, machine, owner, maintenance, dependency, routes, policy, steps, gaps } = answer.data;
  return html`<ol class="course decisions" aria-label="Decisions" aria-busy=${answer.loading}>
    <${Decision} what="when"><${Time} at=${at} /><//>
    <${Decision} what="machine">
      ${
        machine.id
          ? html`<a href=${link(["resources", machine.id])}>${machine.name || machine.id}</a>`
          : machine.name || "none"
      }
      ${machine.problem && html`<div class="gaps">${machine.problem}</div>`}
    <//>
    <${Decision} what="owner">
      ${
        owner
          ? html`<strong>${groupName(owner.userGroup.uniqueId)}</strong>, through its ${owner.through}`
          : "nobody owns it"
      }
    <//>
    <${Decision} what="maintenance">
      ${
        maintenance
          ? html`
              <a href=${link("maintenance", { window: maintenance.uniqueId })}>A window</a> holds it back until${" "}
              <${Time} at=${maintenance.until} />
            `
          : "no window holds it back"
      }
    <//>
    ${
      dependency &&
      html`<${Decision} what="waits for">
        <a href=${link(["alerts", dependency.alert.id])}>the alert of its site or group</a>
      <//>`
    }
    <${Decision} what="routes">
      ${routes.length ? routes.map((route) => html`<${Route} route=${route} />`) : "no routes"}
    <//>
    <${Decision} what="policy">
      ${
        policy
          ? html`
              ${
                policy.id
                  ? html`<a href=${link("routing", { policy: policy.id })}>${policy.name}</a>`
                  : "a partner policy"
              },
              urgency ${policy.urgency}
            `
          : html`<span class="gaps">none: nobody is notified</span>`
      }
    <//>
    ${steps.map((step) => html`<${Step} step=${step} target=${target} />`)}
    ${
      gaps.length > 0 &&
      html`<${Decision} what="gaps"><ul class="gaps">${gaps.map((gap) => html`<li>${gap}</li>`)}</ul><//>`
    }
  </ol>`;
}

/** The question and its answer. */
export function Explain({ query, target, groupName }) {
  const question = questionFrom(query);
  const ask = (event) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget));
    refine({ ...values, at: fromInput(values.at), alert: "" });
  };
  const at = query.get("at");
  const alert = query.get("alert");
  return html`<${Panel}
    title="Paging explanation"
    id="explain"
    actions=${
      question &&
      html`<button
        type="button"
        class="link"
        onClick=${() => refine({ host: "", alert: "", subject: "", metric: "", state: "", at: "" })}
      >
        Clear
      </button>`
    }
  >
    ${
      alert
        ? html`<p>For <a href=${link(["alerts", alert])}>this alert</a>, as if it were reported now.</p>`
        : html`<form class="fields question" onSubmit=${ask} key=${query.toString()}>
            <${Field} name="host" label="Machine" value=${query.get("host") || ""} required hint="Its host name" />
            <${Field} as="select" name="state" label="State">
              ${STATES.map(
                (state) => html`<option value=${state} selected=${state === (query.get("state") || "Critical")}>
                  ${state}
                </option>`,
              )}
            <//>
            <${Field} name="metric" label="Metric" value=${query.get("metric") || ""} />
            <${Field} name="subject" label="Subject" value=${query.get("subject") || ""} />
            <${Field}
              type="datetime-local"
              name="at"
              label="When"
              value=${at ? toInput(millis(at)) : ""}
              hint="Empty: now"
            />
            <div class="field end"><button class="button primary">Explain</button></div>
          </form>`
    }
    ${
      question
        ? html`<${Decisions} question=${question} target=${target} groupName=${groupName} />`
        : html`<${Empty} title="Nothing is sent.">
            Every decision is shown: maintenance, routes with their rules, policy, and the people and contact methods of
            each step.
          <//>`
    }
  <//>`;
}
