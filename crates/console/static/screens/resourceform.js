// The form of a machine: its layout, and the machine with all fields that a change may name.

import { call, tagged } from "../api.js";
import { bodyOf, fieldsOf } from "../bodyschema.js";
import { Button, html } from "../elements.js";

const FIRST = ["hostName", "name", "ipAddress", "resourceType", "location", "type", "state", "tags", "description"];

/** Cloud attributes have fields of their own; processors and consoles are reported. */
const OMITTED = ["properties", "cpus", "consoles"];

/** The tags of a machine, a name and a value on each line. */
function TagLines({ label, value = /** @type {any[]} */ ([]), onValue, errors }) {
  const put = (at, change) => onValue(value.map((tag, place) => (place === at ? { ...tag, ...change } : tag)));
  const text = (tag, at, name, words) => html`<input
    aria-label=${`${words} of tag ${at + 1}`}
    placeholder=${words}
    value=${tag[name] ?? ""}
    required=${name === "name"}
    autocomplete="off"
    onInput=${(event) => put(at, { [name]: event.target.value })}
  />`;
  return html`<fieldset class="group wide">
    <legend>${label}</legend>
    ${errors.map((error) => html`<p class="wrong">${error.message}</p>`)}
    ${value.map(
      (tag, at) => html`<div class="rule pair" key=${at}>
        ${text(tag, at, "name", "Name")} ${text(tag, at, "value", "Value")}
        <${Button}
          aria-label=${`Remove tag ${at + 1}`}
          onClick=${() => onValue(value.filter((_, place) => place !== at))}
        >
          ✕
        <//>
      </div>`,
    )}
    <${Button} onClick=${() => onValue([...value, { name: "", value: "" }])}>Add tag<//>
  </fieldset>`;
}

/** The names of resource types, without repetition. */
const typeNames = async () => [...new Set((await call("listResourceTypes")).map((type) => type.name))];

const FIELDS = fieldsOf(bodyOf("createResource"));

/** Texts take one line, and nothing is to be said of them. */
const LINES = Object.fromEntries(
  Object.entries(FIELDS)
    .filter(([name, field]) => field.type === "text" && name !== "description")
    .map(([name, field]) => [name, { long: false, about: field.format ? field.about : "" }]),
);

/** @type {import("../schemafield.js").Layout} */
export const LAYOUT = {
  order: FIRST,
  more: Object.keys(FIELDS).filter((name) => !FIRST.includes(name)),
  omit: OMITTED,
  labels: { location: "Site", resourceType: "Resource type", type: "Type" },
  fields: {
    ...LINES,
    resourceType: { long: false, offers: typeNames, about: "A new one is added" },
    ipAddress: { long: false, about: "IPv4 or IPv6" },
    name: { long: false, about: "The name that lists show, where it is not the host name" },
    description: { about: "" },
  },
  controls: { tags: TagLines },
};

/** A machine with its fields as a request has them; details leave some out. The version is that of the details. */
export async function readForEdit(resourceId) {
  const detail = await call("getResource", { resourceId });
  const [row] = await call("exportResources", { query: { queryString: `id:${resourceId}`, state: "all" } });
  return tagged({ ...row, location: detail.location }, detail);
}
