// The form of an integration event: its layout, and the template with the placeholders that it may hold.

import { call } from "../api.js";
import { bodyOf, hintOf, requestOf } from "../bodyschema.js";
import { Button, html } from "../elements.js";
import { useAnswer, useRef, useState } from "../hooks.js";
import { EVENT_KEYS } from "../rulekeys.js";
import { RuleLines } from "../rulelines.js";
import { Labelled } from "../schemacontrols.js";
import { EventTest } from "./eventtest.js";
import { notifierLayout } from "./integrations.js";

/** The event types that an entity has beside those of all. */
const TYPES = {
  ALERT: ["NONE"],
  Roster: ["CREATE", "UPDATE", "DELETE", "ONCALLCHANGED", "UNCOVERED"],
  RosterConflict: ["CREATE"],
  MaintenanceWindow: ["CREATE", "UPDATE", "DELETE", "OPENED", "CLOSED"],
};
const CHANGES = ["CREATE", "UPDATE", "DELETE", "NONE"];

/** A template, and a control that puts placeholders into it where the cursor is. */
function Template({ field, label, path, value, onValue, errors, layout }) {
  const area = useRef(null);
  const [chosen, choose] = useState("");
  const { entity } = layout.within;
  const offered = useAnswer(
    async (signal) => (entity ? call("listPlaceholders", { entity, signal }) : undefined),
    entity || "none",
  );
  const words = [...(offered.data?.placeHolders || []), ...(offered.data?.functions || [])];
  const insert = () => {
    const box = area.current;
    // `.*` stands for a property of any name.
    const text = chosen.replace(/\*$/, "");
    const { selectionStart: from, selectionEnd: to } = box;
    onValue(box.value.slice(0, from) + text + box.value.slice(to));
    requestAnimationFrame(() => {
      box.focus();
      box.setSelectionRange(from + text.length, from + text.length);
    });
  };
  return html`
    <${Labelled} label=${label} hint=${hintOf(field)} errors=${errors} wide>
      ${(rest) => html`<textarea
        ...${rest}
        name=${path}
        ref=${area}
        rows="10"
        class="mono"
        spellcheck=${false}
        maxlength=${field.max}
        value=${value ?? ""}
        onInput=${(event) => onValue(event.target.value)}
      ></textarea>`}
    <//>
    ${
      words.length > 0 &&
      html`<div class="wide filters">
        <select aria-label="Placeholder" onChange=${(event) => choose(event.target.value)}>
          <option value="">Placeholder…</option>
          ${words.map((word) => html`<option value=${word} selected=${word === chosen}>${word}</option>`)}
        </select>
        <${Button} onClick=${insert} disabled=${!chosen}>Insert<//>
      </div>`
    }
  `;
}

const ORDER =
  "name entity eventType filterCriteria thirdPartyEventType endPointURI useBaseNotifier notifier headers eventPayload";

/** How the form of an event is laid out, by what it is about. */
function layoutOf(value) {
  const { entity, useBaseNotifier, notifier } = value;
  const own = notifierLayout(notifier, "notifier");
  return {
    order: [...ORDER.split(" "), ...own.order],
    more: ["responseHeaders"],
    omit: [
      ...["payload", "filterCriteria.id", "filterCriteria.name", "filterCriteria.actions"],
      ...own.omit,
      ...(useBaseNotifier ? ["notifier"] : []),
    ],
    labels: {
      ...own.labels,
      filterCriteria: "Filter",
      "filterCriteria.matchType": "Which rules have to match",
      useBaseNotifier: "Use the base notifier",
      thirdPartyEventType: "Method",
      endPointURI: "Path and query behind the base URL",
      headers: "Headers",
      eventPayload: "Template of the body",
      responseHeaders: "Headers of the answer to record",
    },
    fields: {
      ...own.fields,
      endPointURI: { max: undefined, about: "May hold placeholders" },
      eventType: {
        words: TYPES[entity] || CHANGES,
        ...(entity === "ALERT" && { about: "NONE stands for whatever happens to an alert" }),
      },
      filterCriteria: { about: "Without one, all of the entity" },
      "filterCriteria.matchType": { words: ["ALL", "ANY"], default: "ALL" },
      "filterCriteria.rules": { keys: EVENT_KEYS[entity] },
      useBaseNotifier: { about: "" },
      eventPayload: { about: "JSON, XML or any text, in which $ begins a placeholder" },
    },
    controls: { "filterCriteria.rules": RuleLines, eventPayload: Template },
    within: value,
  };
}

/** The event that a form has, as a request has it. */
function eventOf(value) {
  const { notifier, ...event } = requestOf(bodyOf("createIntegrationEvent"), value) || {};
  return value.useBaseNotifier ? event : { ...event, notifier };
}

/** What actions that make or change events of an integration have in common. */
export const eventForm = (one) => ({
  layout: layoutOf,
  change: (request, value) => {
    const { notifier } = eventOf(value);
    return request.useBaseNotifier === false ? { notifier, ...request } : request;
  },
  extra: (value) => html`<details class="wide">
    <summary>Try it before it is saved</summary>
    <${EventTest}
      entity=${value.entity}
      run=${(body) =>
        call("testUnsavedIntegrationEvent", { installedIntgId: one.id, body: { ...body, event: eventOf(value) } })}
    />
  </details>`,
});
