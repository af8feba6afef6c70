// Who is told of a machine, and why: its owner, the policy and the people of each step.

import { call } from "./api.js";
import { link } from "./route.js";
import { Empty, Panel, Trouble, html, useAnswer } from "./ui.js";

/** Whom a critical alert of a machine tells; `why` is the address that explains it. */
export function WhoIsTold({ id, why }) {
  const answer = useAnswer((signal) => call("getResourceOnCall", { resourceId: id, signal }), id, 60e3);
  /** @type {{policy?: any, steps?: any[], gap?: string}} */
  const { policy, steps = [], gap } = answer.data || {};
  return html`<${Panel} title="Who is told" id="told" actions=${html`<a href=${why}>Why?</a>`}><${Trouble} problem=${answer.problem} />
    ${gap && html`<${Empty} title="Nobody.">${gap}<//>`}
    ${policy && html`<p class="small dim">by ${policy.id ? html`<a href=${link("routing", { policy: policy.id })}>${policy.name}</a>` : "a policy of the partner"}</p>`}
    <ol class="course">${steps.map((step) => html`<li><span class="dim">${step.step === 1 ? "first" : "then"}</span><div>${step.targets.map((one) => html`<div>${one.users.map((user) => user.name).join(", ")}${one.gap && html`<span class="gaps">${one.gap}</span>`}${one.target.integration && "an integration"}</div>`)}</div></li>`)}</ol><//>`;
}
