// Routing: routes that select a policy for an alert, escalation policies, and the explanation of paging.

import { call, readAll } from "../api.js";
import { Head, Loading, Trouble, html, personName } from "../elements.js";
import { useAnswer } from "../hooks.js";
import { AlertRoutes } from "./alertroutes.js";
import { Explain } from "./explain.js";
import { Policies, Policy, nameTargets, targetWords } from "./policies.js";

/** What leaves out the records of clients. */
const OWN = "allList:false";

export default function Routing({ query }) {
  const all = useAnswer(
    async (signal) => {
      const own = { signal, query: { queryString: OWN } };
      const [routes, policies, rosters, people, groups] = await Promise.all([
        // Routes of clients are tried for the alerts of their own client alone, and lead to its policies.
        readAll("searchAlertRoutes", own),
        readAll("searchEscalationPolicies", own),
        readAll("searchRosters", { signal }),
        readAll("searchUsers", { signal }),
        readAll("searchUserGroups", { signal }),
      ]);
      const names = new Map();
      for (const one of rosters) names.set(one.id, one.name);
      for (const one of people) names.set(one.id, personName(one));
      for (const one of groups) names.set(one.uniqueId, one.name);
      const asked = query.get("policy");
      const isOther = asked && !policies.some((one) => one.id === asked);
      const other = isOther && (await call("getEscalationPolicy", { signal, policyId: asked }).catch(() => undefined));
      return {
        routes,
        names,
        policies: policies.map((policy) => nameTargets(policy, names)),
        other: other && nameTargets(other, names),
      };
    },
    "all",
    60e3,
  );
  if (!all.data)
    return html`
      <${Head} title="Routing" />
      ${all.problem ? html`<${Trouble} problem=${all.problem} again=${all.reload} />` : html`<${Loading} />`}
    `;
  const { routes, policies, names, other } = all.data;
  const isAsked = (one) => one?.id === query.get("policy");
  const chosen = policies.find(isAsked) || (isAsked(other) ? other : undefined);
  return html`
    <${Head} title="Routing" />
    <${Trouble} problem=${all.problem} again=${all.reload} />
    <div class="columns">
      <${AlertRoutes} routes=${routes} policies=${policies} chosen=${chosen} onChange=${all.reload} />
      <${Policies} policies=${policies} chosen=${chosen} onChange=${all.reload} />
    </div>
    ${chosen && html`<${Policy} key=${chosen.id} policy=${chosen} names=${names} onChange=${all.reload} />`}
    <${Explain}
      query=${query}
      target=${(one) => targetWords(one, names)}
      groupName=${(id) => names.get(id) || id}
    />
  `;
}
