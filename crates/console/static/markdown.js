// Markdown as elements. No text becomes markup: HTML stays text, and so do links to addresses that are not allowed.
// Images are shown as links: the page loads nothing from elsewhere.

import { html } from "./vendor/preact-htm.js";
import { mayLink } from "./address.js";
import { useRef } from "./hooks.js";
import { decoded, partsOf } from "./markdowntokens.js";

/** What is in a line: `linked` within a link, where no other begins. */
const inline = (tokens, linked = false) => (tokens || []).map((token) => inlineOf(token, linked));

function inlineOf(token, linked) {
  const { type, tokens, raw, text } = token;
  if (type === "strong") return html`<strong>${inline(tokens, linked)}</strong>`;
  if (type === "em") return html`<em>${inline(tokens, linked)}</em>`;
  if (type === "del") return html`<del>${inline(tokens, linked)}</del>`;
  if (type === "codespan") return html`<code>${text}</code>`;
  if (type === "br") return html`<br />`;
  if (type === "escape") return text;
  if (type === "link" || type === "image") return linkOf(token, linked);
  return type === "text" && !tokens ? decoded(raw) : type === "text" ? inline(tokens, linked) : raw;
}

function linkOf({ type, tokens, raw, text, href }, linked) {
  const address = decoded(href);
  if (linked) return inline(tokens, true);
  if (!mayLink(address) || !(text || type === "image")) return raw;
  return html`<a
    href=${address}
    rel="noreferrer noopener"
    target=${/^https?:/i.test(address) ? "_blank" : undefined}
  >
    ${type === "image" && "Image: "}${text ? inline(tokens, true) : address}
  </a>`;
}

const blocks = (tokens) => (tokens || []).map(blockOf);

/** A block. Its direction is that of its text. */
function blockOf(token) {
  const { type, tokens, raw, text, depth } = token;
  if (type === "paragraph") return html`<p dir="auto">${inline(tokens)}</p>`;
  // The screen has the first heading, so those of a text begin with the second.
  if (type === "heading") return html`<${`h${Math.min(6, depth + 1)}`} dir="auto">${inline(tokens)}<//>`;
  if (type === "list") return listOf(token);
  if (type === "blockquote") return html`<blockquote>${blocks(tokens)}</blockquote>`;
  if (type === "code") return html`<pre tabindex="0"><code>${text.replace(/\n$/, "")}</code></pre>`;
  if (type === "table") return tableOf(token);
  if (type === "hr") return html`<hr />`;
  if (type === "html") return html`<p dir="auto">${raw.trim()}</p>`;
  if (type === "space" || type === "def") return null;
  return type === "text" ? inlineOf(token, false) : raw;
}

function listOf({ ordered, start, items }) {
  const children = items.map((item) => html`<li>${blocks(item.tokens)}</li>`);
  if (!ordered) return html`<ul dir="auto">${children}</ul>`;
  return html`<ol dir="auto" start=${start === 1 ? undefined : start}>${children}</ol>`;
}

function tableOf({ header, rows, align }) {
  // Left is where a text begins in most tables, and the other side in some.
  const side = (place) => (align[place] === "left" ? undefined : align[place] || undefined);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
    <table class="plain">
      <thead>
        <tr>
          ${header.map(
            (cell, place) => html`<th scope="col" dir="auto" class=${side(place)}>${inline(cell.tokens)}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) => html`<tr>
            ${row.map((cell, place) => html`<td dir="auto" class=${side(place)}>${inline(cell.tokens)}</td>`)}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Whether there is an image among parts of a text. */
const hasImage = (tokens) =>
  (tokens || []).some(
    ({ type, tokens: inner, items, header, rows }) =>
      type === "image" || hasImage(inner) || hasImage(items) || (type === "table" && [header, ...rows].some(hasImage)),
  );

/** The blocks of a text. With `writing`, what a writer should know about them is said. */
export function Markdown({ text, writing = false }) {
  const kept = useRef(/** @type {{text?: string, drawn?: any, images?: boolean}} */ ({}));
  const given = String(text || "");
  if (kept.current.text !== given) {
    const { parts, rest } = partsOf(given);
    const drawn = html`<div class="markdown">
      ${blocks(parts)}
      ${rest && html`<p class="hint">The rest is shown as it is written: it is too long to lay out.</p>`}
      ${rest && html`<p class="as-written" dir="auto">${rest}</p>`}
    </div>`;
    kept.current = { text: given, drawn, images: hasImage(parts) };
  }
  const { drawn, images } = kept.current;
  if (!writing || !images) return drawn;
  return html`
    <p class="hint" role="status">
      The text has an image. Images are shown as links; they cannot be uploaded here.
    </p>
    ${drawn}
  `;
}

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'", "&#x27;": "'" };

/** Characters of Markdown, which say nothing where the text is not laid out. */
const MARKUP = /\*+|`+|~~|(?<=^|\s)#{1,6}\s/g;

/** A snippet of the search, whose only markup is `<mark>`. */
export function Snippet({ text }) {
  const plain = (part) =>
    part.replace(/&(lt|gt|amp|quot|#39|#x27);/g, (entity) => ENTITIES[entity]).replace(MARKUP, "");
  return html`<span class="snippet" dir="auto">
    ${String(text || "")
      .split(/(<mark>[\s\S]*?<\/mark>)/)
      .map((part) => (part.startsWith("<mark>") ? html`<mark>${plain(part.slice(6, -7))}</mark>` : plain(part)))}
  </span>`;
}
