// Knowledge: categories, search, articles, and the trash.

import { call, may, terms } from "../api.js";
import { Empty, Head, Panel, State, Time, Trouble, html, personName } from "../elements.js";
import { Search } from "../form.js";
import { useAnswer, useList } from "../hooks.js";
import { Snippet } from "../markdown.js";
import { RecordActions } from "../recordactions.js";
import { go, link, refine } from "../route.js";
import { Rows } from "../table.js";
import { withClient } from "../tenants.js";
import { LAYOUT, useCategories } from "./articleform.js";
import { CATEGORY_LAYOUT, categoryActions } from "./kbcategory.js";

const COLUMNS = [
  {
    title: "Title",
    main: true,
    class: "grow",
    cell: (row) => row.title,
    below: (row) =>
      row.snippet
        ? html`<span class="dim"><${Snippet} text=${row.snippet} /></span>`
        : row.state !== "ACTIVE" && html`<${State} of=${row.state} />`,
  },
  { title: "Category", keep: 2, cell: (row) => row.category?.name },
  { title: "Changed", keep: 2, cell: (row) => html`<${Time} at=${row.updatedDate} />` },
  { title: "By", keep: 3, cell: (row) => personName(row.updatedBy) },
];

/** What was deleted: articles, and categories with what is below them. */
function Trash({ onChange }) {
  const articles = useList("listKbArticles", { queryString: "state:TRASH", pageSize: 50 });
  const categories = useAnswer(
    (signal) => call("listKbCategories", { signal, query: { pageSize: 1000, state: "TRASH" } }),
    "trash",
  );
  const done = () => {
    articles.reload();
    categories.reload();
    onChange();
  };
  const restore = (operation, path, name) => html`<${RecordActions}
    actions=${[{ label: "Restore", operation, path, message: `“${name}” restored.` }]}
    of=${name}
    onDone=${done}
  />`;
  const rows = categories.data?.results || [];
  return html`
    ${
      (rows.length > 0 || categories.problem) &&
      html`<${Panel} title="Deleted categories" id="deleted">
        <${Trouble} problem=${categories.problem} />
        <ul class="plain-list">
          ${rows.map(
            (one) => html`<li key=${one.id}>
              <div class="session">
                <span>${one.path.replaceAll(" >> ", " › ")}</span>
                ${restore(/** @type {const} */ ("restoreKbCategory"), { categoryId: one.id }, one.name)}
              </div>
            </li>`,
          )}
        </ul>
      <//>`
    }
    <${Rows}
      list=${articles}
      columns=${[
        ...withClient(COLUMNS),
        {
          title: "",
          cell: (row) => restore(/** @type {const} */ ("restoreKbArticle"), { articleId: row.id }, row.title),
        },
      ]}
      label="Deleted articles"
      href=${(row) => link(["knowledge", row.id])}
      empty=${html`<${Empty} title="No deleted articles." />`}
    />
  `;
}

/** The category that is chosen: the way to it, what is below it, and what can be done with it. */
function Category({ id, text, onChange }) {
  const answer = useAnswer((signal) => call("getKbCategory", { categoryId: id, signal }), id);
  const below = useAnswer((signal) => call("listKbCategoryChildren", { categoryId: id, signal }), id);
  const category = answer.data;
  if (!category) return html`<${Trouble} problem=${answer.problem} />`;
  const done = () => {
    answer.reload();
    below.reload();
    onChange();
  };
  const gone = () => {
    onChange();
    refine({ category: "" });
  };
  const children = (below.data || []).filter((one) => one.state !== "TRASH");
  return html`<${Panel}
    title=${category.path.replaceAll(" >> ", " › ")}
    id="category"
    actions=${html`<${RecordActions} actions=${categoryActions(category, gone)} onDone=${done} />`}
  >
    ${category.description && html`<p>${category.description}</p>`}
    ${
      children.length > 0 &&
      html`<p class="filters">
        Below it:
        ${children.map((one) => html`<a href=${link("knowledge", { q: text, category: one.id })}>${one.name}</a>`)}
      </p>`
    }
    ${category.state !== "ACTIVE" && html`<p><${State} of=${category.state} /></p>`}
  <//>`;
}

export default function Knowledge({ query }) {
  const text = query.get("q") || "";
  const category = query.get("category") || "";
  const trash = query.get("view") === "trash";
  const tree = useCategories();
  const categories = tree.rows;
  /** @type {any} */
  const list = text
    ? useList("searchKbArticles", { query: text, categoryId: category, pageSize: 20 })
    : useList("listKbArticles", { queryString: terms({ categoryId: category }), pageSize: 50 });
  const changed = () => {
    tree.reload();
    list.reload();
  };
  const actions = [
    categories.length > 0 && {
      label: "New article…",
      operation: /** @type {const} */ ("createKbArticle"),
      form: true,
      primary: true,
      layout: LAYOUT,
      values: category ? { category: { id: category } } : {},
      send: "Publish",
      message: "Published.",
      done: (made) => go(link(["knowledge", made.id])),
    },
    {
      label: "New category…",
      operation: /** @type {const} */ ("createKbCategory"),
      form: true,
      layout: CATEGORY_LAYOUT,
      values: category ? { parentCategory: categories.find((one) => one.id === category) } : {},
      message: "Created.",
      done: (made) => {
        tree.reload();
        refine({ category: made.id, view: "" });
      },
    },
  ];
  const entry = (href, title, isCurrent, rest = {}) => html`<a
    href=${href}
    aria-current=${isCurrent ? "true" : undefined}
    ...${rest}
  >
    ${title}
  </a>`;
  return html`
    <${Head} title="Knowledge" actions=${html`<${RecordActions} actions=${actions} onDone=${changed} />`} />
    <div class="filters">
      <${Search}
        value=${text}
        onValue=${(value) => refine({ q: value, view: "" })}
        label="Search the articles"
        placeholder="Words of the article…"
      />
    </div>
    <${Trouble} problem=${tree.problem} />
    <div class="columns tree-left">
      <nav class="tree" aria-label="Categories">
        <ul>
          <li>${entry(link("knowledge", { q: text }), "All articles", !category && !trash)}</li>
          ${categories.map(
            (one) => html`<li class=${`depth${Math.min(5, one.path.split(" >> ").length - 1)}`}>
              ${entry(link("knowledge", { q: text, category: one.id }), one.name, one.id === category, {
                title: one.description,
              })}
            </li>`,
          )}
          ${may("restoreKbArticle") && html`<li>${entry(link("knowledge", { view: "trash" }), "Trash", trash)}</li>`}
        </ul>
      </nav>
      <div>
        ${category && html`<${Category} key=${category} id=${category} text=${text} onChange=${changed} />`}
        ${
          trash
            ? html`<${Trash} onChange=${tree.reload} />`
            : html`<${Rows}
                list=${list}
                columns=${withClient(COLUMNS)}
                label="Articles"
                href=${(row) => link(["knowledge", row.id])}
                empty=${
                  text
                    ? html`<${Empty} title="No article has all of these words." />`
                    : html`<${Empty} title="No article yet." />`
                }
              />`
        }
      </div>
    </div>
  `;
}
