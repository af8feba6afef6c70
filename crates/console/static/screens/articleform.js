// The form of an article, with what the text looks like below it, and the categories that it may be in.

import { call } from "../api.js";
import { html } from "../elements.js";
import { useAnswer, useEffect } from "../hooks.js";
import { Markdown } from "../markdown.js";
import { Labelled } from "../schemacontrols.js";

/** The categories outside the trash, by path; with `own`, at a partner none of its clients. */
export function useCategories(own = false) {
  const queryString = own ? "allList:false" : undefined;
  const answer = useAnswer(
    (signal) => call("listKbCategories", { signal, query: { pageSize: 1000, state: "ACTIVE", queryString } }),
    `tree ${queryString}`,
  );
  const rows = (answer.data?.results || []).slice().sort((one, other) => one.path.localeCompare(other.path));
  return { ...answer, rows };
}

function Category({ label, value, onValue, errors, within }) {
  const { rows, data } = useCategories(!within?.clients);
  const chosen = value?.id || "";
  // A new article is in the first category unless another one is chosen.
  useEffect(() => {
    if (!chosen && rows.length) onValue({ id: rows[0].id });
  }, [rows.length]);
  return html`<${Labelled} label=${label} errors=${errors}>
    ${(rest) => html`<select
      name="category"
      ...${rest}
      required
      onChange=${(event) => onValue({ id: event.target.value })}
    >
      ${!data && html`<option value=${chosen}>${value?.name || "Loading…"}</option>`}
      ${rows.map((one) => html`<option value=${one.id} selected=${one.id === chosen}>${one.path}</option>`)}
    </select>`}
  <//>`;
}

function Content({ field, label, value, onValue, errors }) {
  return html`
    <${Labelled}
      label=${label}
      hint="Markdown; images are shown as links"
      errors=${errors}
      wide
    >
      ${(rest) => html`<textarea
        rows="14"
        dir="auto"
        name="content"
        ...${rest}
        value=${value ?? ""}
        maxlength=${field.max}
        required
        onInput=${(event) => onValue(event.target.value)}
      ></textarea>`}
    <//>
    ${
      value?.trim() &&
      html`<div class="wide draft" tabindex="0" role="region" aria-label="Preview">
        <${Markdown} text=${value} writing=${true} />
      </div>`
    }
  `;
}

/** How the forms of an article are laid out. */
export const LAYOUT = {
  order: ["title", "category", "content"],
  more: ["state"],
  labels: { content: "Text" },
  fields: {
    title: { about: "" },
    state: { words: ["ACTIVE", "INACTIVE"], about: "An article that is INACTIVE is a draft" },
  },
  controls: { category: Category, content: Content },
};
