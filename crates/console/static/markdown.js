// Markdown as elements. No text becomes markup: unknown syntax stays text, and so do links to addresses that are not
// allowed. Images are shown as links: the page loads nothing from elsewhere.

import { html } from "./vendor/preact-htm.js";
import { mayLink } from "./address.js";

/** Marks inside a line: code, strong, emphasis, links, bare addresses. */
function inline(text, depth = 0) {
  if (depth > 8) return [text];
  const found =
    /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\s][^*\n]*)\*|(!?)\[([^\]\n]*)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>"')]+)/;
  const out = [];
  let rest = text;
  for (let match = found.exec(rest); match; match = found.exec(rest)) {
    if (match.index) out.push(rest.slice(0, match.index));
    const [whole, code, strong, strong2, emphasis, image, label, address, bare] = match;
    if (code !== undefined) out.push(html`<code>${code}</code>`);
    else if (strong ?? strong2) out.push(html`<strong>${inline(strong ?? strong2, depth + 1)}</strong>`);
    else if (emphasis) out.push(html`<em>${inline(emphasis, depth + 1)}</em>`);
    else if (bare) out.push(mayLink(bare) ? anchor(bare, [bare]) : bare);
    else if (!mayLink(address) || !(label || image)) out.push(whole);
    else out.push(anchor(address, image ? [`Image: ${label || address}`] : inline(label, depth + 1)));
    rest = rest.slice(match.index + whole.length);
  }
  if (rest) out.push(rest);
  return out;
}

const anchor = (address, children) => html`<a
  href=${address}
  rel="noreferrer noopener"
  target=${/^https?:/i.test(address) ? "_blank" : undefined}
>
  ${children}
</a>`;

const list = /^\s{0,3}([-*+]|\d{1,9}[.)])\s+(.*)$/;
const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
/** Lists within lists are shown this deep. */
const DEEPEST = 8;

const indentOf = (blanks) => blanks.replace(/\t/g, "    ").length;

/** The list that begins in a line, with the lists within it: the element, and the line behind it. */
function listAt(lines, begin, depth = 0) {
  const [, blanks, mark] = /** @type {string[]} */ (/** @type {any} */ (item.exec(lines[begin])));
  const indent = indentOf(blanks);
  const ordered = /\d/.test(mark);
  /** @type {{text: string, lists: any[]}[]} */
  const items = [];
  let at = begin;
  while (at < lines.length) {
    const found = item.exec(lines[at]);
    if (!lines[at].trim()) {
      // A blank line between two elements.
      const next = item.exec(lines[at + 1] || "");
      if (!next || indentOf(next[1]) < indent) break;
      at += 1;
    } else if (!found) {
      if (/^\s{0,3}(#{1,6}\s|```|~~~|>)/.test(lines[at])) break;
      items[items.length - 1].text += ` ${lines[at].trim()}`;
      at += 1;
    } else if (items.length && indentOf(found[1]) >= indent + 2 && depth < DEEPEST) {
      const [inner, behind] = listAt(lines, at, depth + 1);
      items[items.length - 1].lists.push(inner);
      at = behind;
    } else if ((depth && indentOf(found[1]) < indent) || /\d/.test(found[2]) !== ordered) {
      break;
    } else {
      items.push({ text: found[3], lists: [] });
      at += 1;
    }
  }
  const children = items.map(({ text, lists }) => html`<li>${inline(text)}${lists}</li>`);
  const first = parseInt(mark, 10);
  return [
    ordered ? html`<ol start=${first === 1 ? undefined : first}>${children}</ol>` : html`<ul>${children}</ul>`,
    at,
  ];
}

/** The cells of a row of a table. */
const cellsOf = (row) =>
  row
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());

/** The classes of columns by the marks below their heads. */
const sideOf = (mark = "") => (/^:-*:$/.test(mark) ? "center" : /:$/.test(mark) ? "right" : undefined);

/** The table that begins in a line, and the line behind it. */
function tableAt(lines, begin) {
  const sides = cellsOf(lines[begin + 1]).map(sideOf);
  const rows = [];
  let at = begin + 2;
  for (; at < lines.length && lines[at].includes("|"); at += 1) rows.push(cellsOf(lines[at]));
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
    <table class="plain">
      <thead>
        <tr>
          ${cellsOf(lines[begin]).map(
            (cell, place) => html`<th scope="col" class=${sides[place]}>${inline(cell)}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) => html`<tr>${row.map((cell, place) => html`<td class=${sides[place]}>${inline(cell)}</td>`)}</tr>`,
        )}
      </tbody>
    </table>
  </div>`;
  return [table, at];
}

/** The blocks of a text: headings, lists, quotes, code, rules, tables, paragraphs. */
export function Markdown({ text }) {
  const lines = String(text || "").split(/\r?\n/);
  const out = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (!line.trim()) {
      at += 1;
    } else if (/^\s{0,3}(```|~~~)/.test(line)) {
      const fence = line.trim().slice(0, 3);
      let end = at + 1;
      while (end < lines.length && !lines[end].trim().startsWith(fence)) end += 1;
      out.push(html`<pre tabindex="0"><code>${lines.slice(at + 1, end).join("\n")}</code></pre>`);
      at = end + 1;
    } else if (heading) {
      // The screen has the first heading, so those of a text begin with the second.
      const tag = `h${Math.min(6, heading[1].length + 1)}`;
      out.push(html`<${tag}>${inline(heading[2])}<//>`);
      at += 1;
    } else if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) {
      out.push(html`<hr />`);
      at += 1;
    } else if (list.test(line)) {
      const [made, behind] = listAt(lines, at);
      out.push(made);
      at = behind;
    } else if (/^\s{0,3}>/.test(line)) {
      const quoted = [];
      for (; at < lines.length && /^\s{0,3}>/.test(lines[at]); at += 1)
        quoted.push(lines[at].replace(/^\s{0,3}>\s?/, ""));
      out.push(html`<blockquote>${inline(quoted.join(" "))}</blockquote>`);
    } else if (line.includes("|") && /^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[at + 1] || "")) {
      const [made, behind] = tableAt(lines, at);
      out.push(made);
      at = behind;
    } else {
      const words = [];
      for (
        ;
        at < lines.length &&
        lines[at].trim() &&
        !(words.length && (/^(#{1,6}\s|\s{0,3}(```|~~~|>))/.test(lines[at]) || list.test(lines[at])));
        at += 1
      )
        words.push(lines[at].trim());
      out.push(html`<p>${inline(words.join(" "))}</p>`);
    }
  }
  return html`<div class="markdown">${out}</div>`;
}

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'", "&#x27;": "'" };

/** A snippet of the search, whose only markup is `<mark>`. */
export function Snippet({ text }) {
  const plain = (part) => part.replace(/&(lt|gt|amp|quot|#39|#x27);/g, (entity) => ENTITIES[entity]);
  return html`<span class="snippet">
    ${String(text || "")
      .split(/(<mark>[\s\S]*?<\/mark>)/)
      .map((part) => (part.startsWith("<mark>") ? html`<mark>${plain(part.slice(6, -7))}</mark>` : plain(part)))}
  </span>`;
}
