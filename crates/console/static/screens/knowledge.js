// Knowledge: categories, search, articles.

import { call, may, terms } from "../api.js";
import { FormDialog } from "../dialog.js";
import { Button, Empty, Head, Time, Trouble, html, personName } from "../elements.js";
import { Field, Search } from "../form.js";
import { useAnswer, useList, useState } from "../hooks.js";
import { Snippet } from "../markdown.js";
import { go, link, refine } from "../route.js";
import { Rows } from "../table.js";

function Create({ categories, onClose }) {
  const send = async (values) => {
    const made = await call("createKbArticle", {
      body: { title: values.title, content: values.content, category: { id: values.category } },
    });
    go(link(["knowledge", made.id]));
  };
  return html`<${FormDialog}
    title="New article"
    send="Publish"
    onSend=${send}
    onClose=${onClose}
    keep="article"
    wide=${true}
  >
    ${(problem) => html`
      <${Field} name="title" label="Title" required maxlength="200" problem=${problem} />
      <${Field} as="select" name="category" label="Category" required problem=${problem}>
        ${categories.map((category) => html`<option value=${category.id}>${category.path}</option>`)}
      <//>
      <${Field} as="textarea" rows="14" name="content" label="Text" required wide problem=${problem} hint="Markdown" />
    `}
  <//>`;
}

export default function Knowledge({ query }) {
  const text = query.get("q") || "";
  const category = query.get("category") || "";
  const [creating, setCreating] = useState(false);
  const tree = useAnswer(
    (signal) => call("listKbCategories", { signal, query: { pageSize: 1000, state: "ACTIVE" } }),
    "tree",
  );
  const categories = (tree.data?.results || []).slice().sort((one, other) => one.path.localeCompare(other.path));
  /** @type {{rows: any[]}} */
  const list = text
    ? useList("searchKbArticles", { query: text, categoryId: category, pageSize: 20 })
    : useList("listKbArticles", { queryString: terms({ categoryId: category }), pageSize: 50 });
  const columns = [
    {
      title: "Title",
      main: true,
      class: "grow",
      cell: (row) => row.title,
      below: (row) => row.snippet && html`<span class="dim"><${Snippet} text=${row.snippet} /></span>`,
    },
    { title: "Category", keep: 2, cell: (row) => row.category?.name },
    { title: "Changed", keep: 2, cell: (row) => html`<${Time} at=${row.updatedDate} />` },
    { title: "By", keep: 3, cell: (row) => personName(row.updatedBy) },
  ];
  return html`
    <${Head}
      title="Knowledge"
      actions=${
        may("createKbArticle") &&
        categories.length > 0 &&
        html`<${Button} kind="primary" onClick=${() => setCreating(true)}>New article…<//>`
      }
    />
    <div class="filters">
      <${Search}
        value=${text}
        onValue=${(value) => refine({ q: value })}
        label="Search the articles"
        placeholder="Words of the article…"
      />
    </div>
    <${Trouble} problem=${tree.problem} />
    <div class="columns tree-left">
      <nav class="tree" aria-label="Categories">
        <ul>
          <li>
            <a href=${link("knowledge", { q: text })} aria-current=${category ? undefined : "true"}>All articles</a>
          </li>
          ${categories.map(
            (one) => html`<li class=${`depth${Math.min(5, one.path.split(" >> ").length - 1)}`}>
              <a
                href=${link("knowledge", { q: text, category: one.id })}
                aria-current=${one.id === category ? "true" : undefined}
                title=${one.description}
              >
                ${one.name}
              </a>
            </li>`,
          )}
        </ul>
      </nav>
      <div>
        <${Rows}
          list=${list}
          columns=${columns}
          label="Articles"
          href=${(row) => link(["knowledge", row.id])}
          empty=${
            text
              ? html`<${Empty} title="No article has all of these words." />`
              : html`<${Empty} title="No article yet." />`
          }
        />
      </div>
    </div>
    ${creating && html`<${Create} categories=${categories} onClose=${() => setCreating(false)} />`}
  `;
}
