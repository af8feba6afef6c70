// The routes of alerts: which policy an alert goes to, in the order in which they are tried.

import { call, may, session } from "../api.js";
import { actOnVersion } from "../conflict.js";
import { Badge, Empty, Panel, html } from "../elements.js";
import { useState } from "../hooks.js";
import { RecordActions } from "../recordactions.js";
import { reordered, useReorder } from "../reorder.js";
import { link } from "../route.js";
import { ALERT_KEYS } from "../rulekeys.js";
import { RuleLines } from "../rulelines.js";
import { attempt } from "../toast.js";

/** The distance of the positions of routes that are numbered anew. */
const DISTANCE = 10;

const rulesOf = (route) =>
  (route.rules || [])
    .map((rule) => `${rule.key} ${rule.operator} ${rule.value ?? ""}`)
    .join(route.matchingType === "ANY" ? " or " : " and ");

/** @type {[string, string, (one: any) => any][]} */
const FIELDS = [
  ["name", "Name", (one) => one.name],
  ["rules", "Rules", rulesOf],
  ["policy", "Goes to", (one) => one.policy.id],
  ["position", "Position", (one) => one.position],
];

const LAYOUT = {
  controls: { rules: RuleLines },
  order: ["name", "policy", "matchingType", "rules", "position", "isDefault"],
  more: ["position"],
  labels: { policy: "Goes to", matchingType: "Matches", isDefault: "Default route" },
  fields: {
    matchingType: { about: "Every rule holds (ALL), or at least one of them (ANY)" },
    isDefault: { about: "Takes the alerts that match no other route, and has no rules" },
    position: { about: "Lower ones are tried first, those without one last" },
    rules: { keys: ALERT_KEYS },
  },
};

/** The request of a form: rules have an operator that is a word of the list, and a default route has none. */
const requestFor = (request) => (request.isDefault ? { ...request, rules: [] } : request);

const routeWords = (route) => `route “${route.name}”`;

/** The version of a route, with the name of its policy. */
export async function readRoute(id, policyName) {
  const route = await call("getAlertRoute", { routeId: id });
  route.policy = /** @type {any} */ ({ id: route.policy.id, name: policyName(route.policy.id) });
  return route;
}

/**
 * The positions that change when routes stand in this order: of the one that was moved, and where there is no number
 * between its neighbours, of those behind it.
 * @returns {[any, number][]}
 */
function newPositions(routes, moved) {
  const at = routes.findIndex((route) => route.id === moved.id);
  const before = routes[at - 1]?.position ?? 0;
  const after = routes[at + 1]?.position ?? before + 2 * DISTANCE;
  if (after - before > 1) return [[moved, before + Math.floor((after - before) / 2)]];
  /** @type {[any, number][]} */
  const changed = [];
  let last = before;
  for (const route of routes.slice(at)) {
    if (route.id !== moved.id && (route.position ?? Infinity) > last) break;
    last += DISTANCE;
    changed.push([route, last]);
  }
  // The last ones make room first, so that no two change places meanwhile.
  return changed.reverse();
}

async function store(routes, moved) {
  for (const [route, position] of newPositions(routes, moved))
    await actOnVersion({
      found: route,
      fields: [["position", "Position", (one) => one.position]],
      read: () => call("getAlertRoute", { routeId: route.id }),
      work: (match) => call("updateAlertRoute", { routeId: route.id, match, body: { position } }),
    });
  return true;
}

/** The panel of the routes; a new one goes to the policy that is open. */
export function AlertRoutes({ routes, policies, chosen, onChange }) {
  const [shown, setShown] = useState(/** @type {any[] | undefined} */ (undefined));
  const own = routes.filter((route) => !route.isDefault && isOwn(route));
  const list = shown || own;
  const rest = routes.filter((route) => !own.includes(route));
  const policyName = (id) => policies.find((one) => one.id === id)?.name || id;
  const move = async (from, to) => {
    if (shown) return;
    const next = reordered(own, from, to);
    setShown(next);
    await attempt("Moved.", () => store(next, own[from]));
    await onChange();
    setShown(undefined);
  };
  const { listen, buttons } = useReorder({ length: list.length, onMove: move });
  const movable = may("updateAlertRoute") && list.length > 1;
  const given = { policyName, onChange };
  return html`<${Panel}
    title="Routing rules"
    id="routes"
    actions=${
      policies.length > 0 &&
      html`<${RecordActions}
        actions=${[
          {
            label: "New route…",
            operation: /** @type {const} */ ("createAlertRoute"),
            form: true,
            values: {
              rules: [{ operator: "Equals" }],
              policy: chosen || (policies.length === 1 ? policies[0] : undefined),
            },
            layout: LAYOUT,
            change: requestFor,
            message: "Created.",
          },
        ]}
        onDone=${onChange}
      />`
    }
  >
    ${
      routes.length
        ? html`<ol class="course">
            ${list.map(
              (route, place) => html`<li key=${route.id} ...${movable ? listen(place) : {}}>
                <${Route} ...${{ route, ...given }}>${movable && buttons(place, route.name)}<//>
              </li>`,
            )}
            ${rest.map((route) => html`<li key=${route.id}><${Route} ...${{ route, ...given }} /></li>`)}
          </ol>`
        : html`<${Empty} title="There is no route yet.">
            An alert goes to the first route whose rules it matches.
          <//>`
    }
  <//>`;
}

/** Whether a record belongs to the tenant that is looked at; those of its partner are only read. */
export const isOwn = (record) => !record.clientUniqueId || record.clientUniqueId === session.tenant;

function Route({ route, policyName, onChange, children }) {
  const read = () => readRoute(route.id, policyName);
  const path = { routeId: route.id };
  const named = { ...route, policy: { id: route.policy.id, name: policyName(route.policy.id) } };
  return html`
    <span class="dim">${route.isDefault ? "default" : "when"}</span>
    <div>
      <strong>${route.name}</strong> →${" "}
      <a href=${link("routing", { policy: route.policy.id })}>${policyName(route.policy.id)}</a>
      <div class="dim small">${rulesOf(route)}</div>
      ${(route.rules || []).some((rule) => rule.broken) && html`<${Badge} kind="warn">a rule never holds<//>`}
      ${
        isOwn(route) &&
        html`<div class="actions">
          ${children}
          <${RecordActions}
            of=${route.name}
            actions=${[
              {
                label: "Edit…",
                title: `Edit ${routeWords(route)}`,
                operation: /** @type {const} */ ("updateAlertRoute"),
                path,
                edits: named,
                read,
                layout: LAYOUT,
                change: requestFor,
                message: "Saved.",
              },
              {
                label: "Delete…",
                title: `Delete ${routeWords(route)}?`,
                operation: /** @type {const} */ ("deleteAlertRoute"),
                path,
                removes: route,
                fields: FIELDS,
                read: () => call("getAlertRoute", path),
                question: "Its alerts go to the next route whose rules they match.",
                danger: true,
                message: "Route deleted.",
              },
            ]}
            onDone=${onChange}
          />
        </div>`
      }
    </div>
  `;
}
