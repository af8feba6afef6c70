// An event of an integration: when it fires, what it calls, and how it is tried.

import { call } from "../api.js";
import { Panel, State, html, some } from "../elements.js";
import { RecordPage, deleteAction, editAction } from "../records.js";
import { link } from "../route.js";
import { say } from "../toast.js";
import { eventForm } from "./eventform.js";
import { EventTest } from "./eventtest.js";

/** What an event filters, in words. */
function Filter({ of }) {
  const rules = some(of?.rules);
  if (!rules) return "everything";
  return html`<span>${of.matchType === "ANY" ? "any of" : "all of"}</span>
    <ul class="plain-list">
      ${rules.map((rule) => html`<li>${[rule.key, rule.operator, rule.value].filter(Boolean).join(" ")}</li>`)}
    </ul>`;
}

export default function IntegrationEvent({ installedIntgId, eventId }) {
  const path = { installedIntgId, eventId };
  const home = link(["integrations", installedIntgId]);
  const actions = (event, again) => [
    {
      ...editAction(event, again, { operation: "configureIntegrationEvent", path, what: `event “${event.name}”` }),
      ...eventForm({ id: installedIntgId }),
    },
    {
      label: "Activate",
      operation: /** @type {const} */ ("activateIntegrationEvent"),
      path,
      when: !event.active,
      message: "Activated.",
    },
    {
      label: "Deactivate",
      operation: /** @type {const} */ ("deactivateIntegrationEvent"),
      path,
      when: event.active,
      message: "Deactivated.",
    },
    {
      label: "Send deliveries again…",
      title: `Send deliveries of “${event.name}” again`,
      operation: /** @type {const} */ ("replayDeliveries"),
      path,
      form: true,
      send: "Send again",
      done: ({ replayed }) => say(`Deliveries sent again: ${replayed}.`),
    },
    deleteAction(event, again, {
      operation: "deleteIntegrationEvent",
      path,
      what: `event “${event.name}”`,
      question: "Its deliveries are deleted too, delivered or not.",
    }),
  ];
  return html`<${RecordPage}
    back=${["Integration", home]}
    of=${`event ${eventId}`}
    read=${() => call("getIntegrationEvent", path)}
    facts=${(event) => [
      ["State", html`<${State} of=${event.state} /> ${event.inactiveBecause}`],
      ["About", [event.entity, event.eventType].filter(Boolean).join(" ")],
      ["Filter", html`<${Filter} of=${event.filterCriteria} />`],
      [
        "Calls",
        html`<span class="mono">
          ${event.thirdPartyEventType} ${event.notifier?.baseURI}${event.endPointURI}
        </span>`,
      ],
      ["Notifier", event.useBaseNotifier ? "that of the integration" : "its own"],
      ["Headers", some(event.headers)?.map(({ key, value }) => html`<div>${key}: ${value || "[secret]"}</div>`)],
    ]}
    actions=${actions}
  >
    ${(event) => html`
      <${Panel} title="Template of the body" id="template">
        ${
          event.eventPayload
            ? html`<pre class="output" tabindex="0">${event.eventPayload}</pre>`
            : html`<p class="dim">None: the request has no body.</p>`
        }
      <//>
      <${Panel} title="Try it" id="try">
        <${EventTest}
          entity=${event.entity}
          run=${(body) => call("testIntegrationEvent", { ...path, body })}
        />
      <//>
      <${Panel} title="Deliveries" id="deliveries">
        <p class="filters">
          <a href=${link("deliveries", { event: `${installedIntgId}/${eventId}` })}>Deliveries of this event</a>
        </p>
      <//>
    `}
  <//>`;
}
