// The fields of an object of a change set: before the set, now, and after an undo.

import { call } from "./api.js";
import { html } from "./elements.js";
import { millis, wire } from "./time.js";

/** Fields that each change sets, an undo too, and those that never change. */
const DERIVED = /^((created|updated)(By|Date|Time)\b|(id|uniqueId|tenantId)$)/;
/** Rows of the log that are read about what changed since. */
const MOST = 100;

const words = (value) =>
  value === undefined || value === null || value === ""
    ? "–"
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

/** The rows of the audit log about an object that came after a change set, newest first. */
export async function changesSince(set, { entity, entityId }, signal) {
  if (/[+,:]/.test(entityId)) return [];
  const since = wire(millis(set.createdDate));
  const queryString = `entity:${entity}+entityId:${entityId}+startDate:${since}`;
  const page = await call("searchAuditLog", { query: { queryString, pageSize: MOST }, signal });
  const own = page.results.findIndex((row) => row.changeSet === set.id);
  return own < 0 ? page.results : page.results.slice(0, own);
}

/** What an undo does to the object as a whole. */
const SENTENCES = {
  CREATE: "It did not exist before: it is deleted, or taken out of use where nothing of its kind is ever deleted.",
  DELETE: "It exists again, under the same id.",
  NONE: "It was created and deleted: nothing is left to undo.",
};

/**
 * A table of the fields. `left` is what the preview names of the object as not undone; of one that changed since, what
 * is now comes from the rows of `since`.
 */
export function Fields({
  object,
  left = /** @type {any} */ (undefined),
  isChanged = false,
  since = /** @type {any[]} */ ([]),
}) {
  const isKept = Boolean(left && !left.fields?.length);
  const isOff = isKept || isChanged;
  const fields = Object.entries(object.changes || {}).filter(([name]) => !DERIVED.test(name));
  const later = (name) => since.find((row) => row.changes?.[name])?.changes[name];
  const now = (name, change) => {
    if (isChanged && !since.length) return html`<span class="dim">changed since</span>`;
    const newer = later(name);
    return words(newer ? newer.after : change.after);
  };
  const afterUndo = (name, change) =>
    left?.fields?.includes(name) ? html`<span class="dim">stays as it is</span>` : words(change.before);
  if (!fields.length) return html`<p class="dim">${SENTENCES[object.action] || "No field differs."}</p>`;
  return html`
    ${!isOff && SENTENCES[object.action] && html`<p>${SENTENCES[object.action]}</p>`}
    <div class="scroll" tabindex="0" role="region" aria-label=${`Fields of ${object.entity} ${object.entityId}`}>
      <table class="plain unbroken">
        <thead>
          <tr>
            <th scope="col">Field</th>
            ${isOff && html`<th scope="col">Before</th>`}
            ${isChanged && html`<th scope="col">After</th>`}
            <th scope="col">Now</th>
            ${!isOff && html`<th scope="col">After undo</th>`}
          </tr>
        </thead>
        <tbody>
          ${fields.map(
            ([name, change]) => html`<tr>
                <td class="mono">${name}</td>
                ${isOff && html`<td dir="auto">${words(change.before)}</td>`}
                ${isChanged && html`<td dir="auto">${words(change.after)}</td>`}
                <td class="before" dir="auto">${now(name, change)}</td>
                ${!isOff && html`<td class="after" dir="auto">${afterUndo(name, change)}</td>`}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}
