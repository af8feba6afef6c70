// One article: its text, its versions, and changing it.

import { call, may, tag } from "../api.js";
import { FormDialog } from "../dialog.js";
import { Button, Facts, Head, Loading, Panel, Time, Trouble, html, personName } from "../elements.js";
import { Field } from "../form.js";
import { useAnswer, useState } from "../hooks.js";
import { Markdown } from "../markdown.js";
import { link, refine } from "../route.js";

/** The dialog that edits an article; a version saved by somebody else is shown beside yours. */
function Edit({ article, onClose, onDone }) {
  const [theirs, setTheirs] = useState();
  const [match, setMatch] = useState(tag(article));
  const send = async (values) => {
    try {
      await call("updateKbArticle", {
        articleId: article.id,
        match,
        body: { title: values.title, content: values.content },
      });
    } catch (problem) {
      if (problem.status === 412) {
        const now = await call("getKbArticle", { articleId: article.id });
        setTheirs(now);
        setMatch(tag(now));
      }
      throw problem;
    }
    onDone();
  };
  return html`<${FormDialog}
    title=${`Change “${article.title}”`}
    send=${theirs ? "Save mine" : "Save"}
    onSend=${send}
    onClose=${onClose}
    keep=${`article ${article.id} ${article.revision}`}
    wide=${true}
  >
    ${(problem) => html`
      ${
        theirs &&
        html`<div class="field wide">
          <h3>Version saved meanwhile by ${personName(theirs.updatedBy) || "somebody"}</h3>
          <pre class="output" tabindex="0">${theirs.content}</pre>
        </div>`
      }
      <${Field} name="title" label="Title" value=${article.title} required maxlength="200" wide problem=${problem} />
      <${Field}
        as="textarea"
        rows="18"
        name="content"
        label=${theirs ? "Your text" : "Text"}
        required
        wide
        problem=${problem}
        hint="Markdown"
      >
        ${article.content}
      <//>
    `}
  <//>`;
}

export default function Article({ id, query }) {
  const revision = query.get("revision") || "";
  const [editing, setEditing] = useState(false);
  const answer = useAnswer(
    (signal) => call("getKbArticle", { articleId: id, signal, query: { revision } }),
    `${id} ${revision}`,
  );
  const versions = useAnswer(
    (signal) => call("listKbArticleVersions", { articleId: id, signal, query: { pageSize: 50 } }),
    `${id} ${answer.data?.revision}`,
  );
  const article = answer.data;
  const back = ["Knowledge", link("knowledge")];
  if (!article)
    return html`
      <${Head} title=${answer.problem ? "Article" : "…"} back=${back} />
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />` : html`<${Loading} />`}
    `;
  return html`
    <${Head}
      title=${article.title}
      back=${back}
      actions=${
        !revision &&
        may("updateKbArticle") &&
        article.state !== "TRASH" &&
        html`<${Button} kind="primary" onClick=${() => setEditing(true)}>Change…<//>`
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
    <div class="columns wide-left">
      <${Panel} title="Text" id="text"><${Markdown} text=${article.content} /><//>
      <div>
        <${Panel} title="About" id="about">
          <${Facts} of=${[
            ["Number", article.id],
            ["State", article.state],
            ["Version", article.revision],
            ["Created by", personName(article.createdBy)],
          ]} />
        <//>
        <${Panel} title="Versions" id="versions">
          <${Trouble} problem=${versions.problem} />
          <ul class="plain-list">
            ${(versions.data?.results || []).map(
              (one) => html`<li>
                <a href=${link(["knowledge", id], { revision: String(one.revision) })}>${one.revision}</a>${" "}
                <span class="dim small"><${Time} at=${one.createdDate} /> ${personName(one.createdBy)}</span>
              </li>`,
            )}
          </ul>
        <//>
      </div>
    </div>
    ${editing && html`<${Edit} article=${article} onClose=${() => setEditing(false)} onDone=${answer.reload} />`}
  `;
}
