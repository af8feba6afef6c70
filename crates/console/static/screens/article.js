// One article: its text, its versions and what differs between them, and changing it.

import { call, readAll } from "../api.js";
import { Facts, Head, Loading, Panel, State, Time, Trouble, html, personName } from "../elements.js";
import { useAnswer } from "../hooks.js";
import { LineDifferences } from "../linediff.js";
import { Markdown } from "../markdown.js";
import { RecordActions } from "../recordactions.js";
import { go, link, refine } from "../route.js";
import { LAYOUT } from "./articleform.js";

/** What the text that somebody else saved meanwhile is. */
const Theirs = ({ theirs }) => html`<div class="field wide">
  <h3>Version saved meanwhile by ${personName(theirs.updatedBy) || "somebody"}</h3>
  <pre class="output" tabindex="0" dir="auto">${theirs.content}</pre>
</div>`;

/** What can be done with an article. */
function actionsOf(article, answer) {
  const path = { articleId: article.id };
  const read = () => call("getKbArticle", path);
  const inTrash = article.state === "TRASH";
  return [
    {
      label: "Change…",
      title: `Change “${article.title}”`,
      when: !inTrash,
      primary: true,
      operation: /** @type {const} */ ("updateKbArticle"),
      path,
      edits: article,
      read,
      layout: LAYOUT,
      extra: (value, problem, theirs) => theirs && html`<${Theirs} theirs=${theirs} />`,
      message: "Saved.",
    },
    {
      label: "Restore",
      when: inTrash,
      primary: true,
      operation: /** @type {const} */ ("restoreKbArticle"),
      path,
      message: "Restored.",
    },
    {
      label: "Delete…",
      title: `Delete article “${article.title}”?`,
      when: !inTrash,
      operation: /** @type {const} */ ("deleteKbArticle"),
      path,
      removes: article,
      read,
      fields: [
        ["title", "Title", (one) => one.title],
        ["revision", "Version", (one) => one.revision],
      ],
      question: "It moves to the trash, and can be restored.",
      danger: true,
      message: "Moved to the trash.",
      done: () => {
        answer.reload();
        go(link("knowledge"));
      },
    },
  ];
}

/** What differs between two versions; which ones is in the address. */
function Compare({ id, from, to, versions }) {
  const answer = useAnswer(
    (signal) =>
      Promise.all(
        [from, to].map((revision) =>
          call("getKbArticle", { articleId: id, signal, query: { revision: Number(revision) } }),
        ),
      ),
    `${id} ${from} ${to}`,
  );
  const choose = (name, label, value) => html`<label>
    ${label}${" "}
    <select onChange=${(event) => refine({ [name]: event.target.value })}>
      ${versions.map(
        (one) =>
          html`<option value=${one.revision} selected=${String(one.revision) === value}>${one.revision}</option>`,
      )}
    </select>
  </label>`;
  const [one, other] = answer.data || [];
  return html`<${Panel}
    title="Differences"
    id="differences"
    actions=${html`
      ${choose("from", "From version", from)} ${choose("to", "to", to)}
      <button type="button" class="link" onClick=${() => refine({ from: "", to: "" })}>Close</button>
    `}
  >
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    ${!answer.data && !answer.problem && html`<${Loading} />`}
    ${
      one &&
      html`
        ${one.title !== other.title && html`<p>Title: <del>${one.title}</del> → <ins>${other.title}</ins></p>`}
        <${LineDifferences} first=${one.content || ""} second=${other.content || ""} label="Differences" />
      `
    }
  <//>`;
}

export default function Article({ id, query }) {
  const revision = query.get("revision") || "";
  const [from, to] = [query.get("from"), query.get("to")];
  const answer = useAnswer(
    (signal) => call("getKbArticle", { articleId: id, signal, query: { revision } }),
    `${id} ${revision}`,
  );
  const versions = useAnswer(
    (signal) => readAll("listKbArticleVersions", { articleId: id, signal }),
    `${id} ${answer.data?.revision}`,
  );
  const article = answer.data;
  const back = ["Knowledge", link("knowledge")];
  if (!article)
    return html`
      <${Head} title=${answer.problem ? "Article" : "…"} back=${back} />
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />` : html`<${Loading} />`}
    `;
  const known = versions.data || [];
  return html`
    <${Head}
      title=${article.title}
      back=${back}
      actions=${
        !revision && html`<${RecordActions} actions=${actionsOf(article, answer)} onDone=${() => answer.reload()} />`
      }
    >
      ${article.category?.name} · changed <${Time} at=${article.updatedDate} /> by ${personName(article.updatedBy)}
      ${
        revision &&
        html`
          ${" "}· version ${article.revision}${" "}
          <button type="button" class="link" onClick=${() => refine({ revision: "" })}>Show latest</button>
        `
      }
    <//>
    ${from && to && html`<${Compare} id=${id} from=${from} to=${to} versions=${known} />`}
    <div class="columns wide-left">
      <${Panel} title="Text" id="text"><${Markdown} text=${article.content} /><//>
      <div>
        <${Panel} title="About" id="about">
          <${Facts} of=${[
            ["Number", article.id],
            [
              "Category",
              article.category &&
                html`<a href=${link("knowledge", { category: article.category.id })}>${article.category.name}</a>`,
            ],
            ["State", html`<${State} of=${article.state} />`],
            ["Version", article.revision],
            ["Created by", personName(article.createdBy)],
          ]} />
        <//>
        <${Panel} title="Versions" id="versions">
          <${Trouble} problem=${versions.problem} />
          <ul class="plain-list">
            ${known.map(
              (one, place) => html`<li>
                <div class="session">
                  <span>
                    <a href=${link(["knowledge", id], { revision: String(one.revision) })}>${one.revision}</a>${" "}
                    <span class="dim small"><${Time} at=${one.createdDate} /> ${personName(one.createdBy)}</span>
                  </span>
                  ${
                    known[place + 1] &&
                    html`<a
                      href=${link(["knowledge", id], {
                        from: String(known[place + 1].revision),
                        to: String(one.revision),
                      })}
                      aria-label=${`Differences of version ${one.revision}`}
                      >Differences</a
                    >`
                  }
                </div>
              </li>`,
            )}
          </ul>
        <//>
      </div>
    </div>
  `;
}
