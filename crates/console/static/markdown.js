// Markdown as elements. No text becomes markup: unknown syntax stays text, and so do links to addresses that are not
// allowed.

import { html } from "./vendor/preact-htm.js";
import { mayLink } from "./address.js";

/** Marks inside a line: code, strong, emphasis, links, bare addresses. */
function inline(text, depth = 0) {
  if (depth > 8) return [text];
  const found =
    /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\s][^*\n]*)\*|\[([^\]\n]+)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>"')]+)/;
  const out = [];
  let rest = text;
  for (let match = found.exec(rest); match; match = found.exec(rest)) {
    if (match.index) out.push(rest.slice(0, match.index));
    const [whole, code, strong, strong2, emphasis, label, address, bare] = match;
    if (code !== undefined) out.push(html`<code>${code}</code>`);
    else if (strong ?? strong2) out.push(html`<strong>${inline(strong ?? strong2, depth + 1)}</strong>`);
    else if (emphasis) out.push(html`<em>${inline(emphasis, depth + 1)}</em>`);
    else if (bare) out.push(mayLink(bare) ? anchor(bare, [bare]) : bare);
    else out.push(mayLink(address) ? anchor(address, inline(label, depth + 1)) : whole);
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
      const ordered = /^\s*\d/.test(line);
      const items = [];
      for (; at < lines.length && lines[at].trim(); at += 1) {
        const item = list.exec(lines[at]);
        if (item) items.push(item[2]);
        else items[items.length - 1] += ` ${lines[at].trim()}`;
      }
      const children = items.map((item) => html`<li>${inline(item)}</li>`);
      out.push(ordered ? html`<ol>${children}</ol>` : html`<ul>${children}</ul>`);
    } else if (/^\s{0,3}>/.test(line)) {
      const quoted = [];
      for (; at < lines.length && /^\s{0,3}>/.test(lines[at]); at += 1)
        quoted.push(lines[at].replace(/^\s{0,3}>\s?/, ""));
      out.push(html`<blockquote>${inline(quoted.join(" "))}</blockquote>`);
    } else if (line.includes("|") && /^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[at + 1] || "")) {
      const cells = (row) =>
        row
          .trim()
          .replace(/^\||\|$/g, "")
          .split("|")
          .map((cell) => inline(cell.trim()));
      const head = cells(line);
      const rows = [];
      for (at += 2; at < lines.length && lines[at].includes("|"); at += 1) rows.push(cells(lines[at]));
      out.push(html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
        <table class="plain">
          <thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
          <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
        </table>
      </div>`);
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
