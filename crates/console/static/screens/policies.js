// Escalation policies: who is notified, step by step.

import { call } from "../api.js";
import { Badge, Empty, Facts, Panel, html, personName } from "../elements.js";
import { RecordActions } from "../recordactions.js";
import { link, refine } from "../route.js";
import { isOwn } from "./alertroutes.js";
import { Steps } from "./policysteps.js";

const referenceOf = (target) => target.roster || target.user || target.userGroup || target.integration || {};

/** A target in words; names are looked up in what was loaded. */
export function targetWords(one, names) {
  if (one.owner) return "the owner of the machine";
  const found = referenceOf(one);
  const id = found.id || found.uniqueId || "";
  const name = found.name || names.get(id) || personName(found) || id;
  if (one.roster) return html`the person on call in <strong>${name}</strong>${one.level ? `, level ${one.level}` : ""}`;
  if (one.userGroup) return html`everybody in <strong>${name}</strong>`;
  return one.integration ? html`the integration <strong>${name}</strong>` : html`<strong>${name}</strong>`;
}

/** Writes names into the targets of a policy, so that forms and comparisons show them; its version stays known. */
export function nameTargets(policy, names) {
  for (const step of policy.steps || [])
    for (const target of step.targets) {
      const found = referenceOf(target);
      const name = names.get(found.id || found.uniqueId);
      if (name) found.name = name;
    }
  return policy;
}

const LAYOUT = {
  order: ["name", "description", "steps", "repeat", "atEnd", "ackTimeout"],
  more: ["urgency", "reopenWhenWorse"],
  labels: {
    repeat: "Repetitions",
    atEnd: "After the last step",
    ackTimeout: "Acknowledgement timeout",
    reopenWhenWorse: "New again when it gets worse",
  },
  controls: { steps: Steps },
};

const countWords = (policy) => `${policy.steps?.length || 0} ${policy.steps?.length === 1 ? "step" : "steps"}`;

/** @type {[string, string, (one: any) => any][]} */
const FIELDS = [
  ["name", "Name", (one) => one.name],
  ["description", "Description", (one) => one.description],
  ["steps", "Steps", (one) => JSON.stringify(one.steps)],
  ["repeat", "Repeated", (one) => one.repeat],
];

/** The panel of all policies. */
export function Policies({ policies, chosen, onChange }) {
  const create = {
    label: "New policy…",
    title: "New escalation policy",
    operation: /** @type {const} */ ("createEscalationPolicy"),
    form: true,
    values: { steps: [{ targets: [{ roster: undefined }], wait: "5m" }] },
    layout: LAYOUT,
    message: "Created.",
  };
  return html`<${Panel}
    title="Escalation policies"
    id="policies"
    actions=${html`<${RecordActions}
      actions=${[create]}
      onDone=${(made) => {
        onChange();
        refine({ policy: made.id });
      }}
    />`}
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
                <${Badge}>${countWords(policy)}<//>
              </li>`,
            )}
          </ul>`
        : html`<${Empty} title="There is no policy yet.">
            A policy says who is notified first, and who is next when nobody answers.
          <//>`
    }
  <//>`;
}

/** The panel of one policy. */
export function Policy({ policy, names, onChange }) {
  const path = { policyId: policy.id };
  const read = async () => nameTargets(await call("getEscalationPolicy", path), names);
  const actions = isOwn(policy) && [
    {
      label: "Edit…",
      title: `Edit escalation policy “${policy.name}”`,
      operation: /** @type {const} */ ("updateEscalationPolicy"),
      path,
      edits: policy,
      read,
      layout: LAYOUT,
      message: "Saved.",
      done: onChange,
    },
    {
      label: "Delete…",
      title: `Delete escalation policy “${policy.name}”?`,
      operation: /** @type {const} */ ("deleteEscalationPolicy"),
      path,
      removes: policy,
      fields: FIELDS,
      read,
      question: "It no longer notifies anybody.",
      danger: true,
      message: "Policy deleted.",
      done: () => {
        refine({ policy: "" });
        onChange();
      },
    },
  ];
  return html`<${Panel}
    title=${policy.name}
    id="policy"
    actions=${html`
      <${RecordActions} actions=${actions || []} onDone=${onChange} />
      <button type="button" class="link" onClick=${() => refine({ policy: "" })}>Close</button>
    `}
  >
    ${policy.description && html`<p>${policy.description}</p>`}
    <ol class="course">
      ${(policy.steps || []).map(
        (step, place) => html`<li>
          <span class="dim">${place ? `then` : "first"}</span>
          <div>
            ${step.targets.map((one, at) => html`${at > 0 && ", and "}${targetWords(one, names)}`)}
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
      ["When it gets worse", policy.reopenWhenWorse === false && "an acknowledged alert stays acknowledged"],
    ]} />
  <//>`;
}
