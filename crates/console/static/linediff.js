// What differs between two texts, line by line.

import { html } from "./elements.js";

/** Texts whose lines make more pairs than this are compared as a whole: all lines of one, then all of the other. */
const MOST = 4e6;
/** So many unchanged lines are shown around a change. */
const AROUND = 3;

/** The lines that two lists have in common in the same order, as pairs of places. */
function common(one, other) {
  if (one.length * other.length > MOST) return [];
  const width = other.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width);
  for (let at = one.length - 1; at >= 0; at -= 1)
    for (let there = other.length - 1; there >= 0; there -= 1)
      lengths[at * width + there] =
        one[at] === other[there]
          ? lengths[(at + 1) * width + there + 1] + 1
          : Math.max(lengths[(at + 1) * width + there], lengths[at * width + there + 1]);
  const pairs = [];
  for (let at = 0, there = 0; at < one.length && there < other.length;) {
    if (one[at] === other[there]) pairs.push([at++, there++]);
    else if (lengths[(at + 1) * width + there] >= lengths[at * width + there + 1]) at += 1;
    else there += 1;
  }
  return pairs;
}

/**
 * The lines of both texts in order: `{kind, text}`, where the kind is `same`, `before` (only the first has it) or
 * `after`.
 * @param {string} first
 * @param {string} second
 */
export function differencesOf(first, second) {
  const [one, other] = [first.split("\n"), second.split("\n")];
  let begin = 0;
  while (begin < one.length && begin < other.length && one[begin] === other[begin]) begin += 1;
  let end = 0;
  const most = Math.min(one.length, other.length) - begin;
  while (end < most && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  /** @type {{kind: string, text: string}[]} */
  const all = [];
  const put = (kind, lines) => lines.forEach((text) => all.push({ kind, text }));
  put("same", one.slice(0, begin));
  const [mine, theirs] = [one.slice(begin, one.length - end), other.slice(begin, other.length - end)];
  let [at, there] = [0, 0];
  for (const [here, yonder] of [...common(mine, theirs), [mine.length, theirs.length]]) {
    put("before", mine.slice(at, here));
    put("after", theirs.slice(there, yonder));
    if (here < mine.length) put("same", [mine[here]]);
    [at, there] = [here + 1, yonder + 1];
  }
  put("same", one.slice(one.length - end));
  return all;
}

const MARKS = { same: " ", before: "−", after: "+" };

/** The differences of two texts; of longer stretches without any, only how many lines they have. */
export function LineDifferences({ first, second, label }) {
  const lines = differencesOf(first, second);
  const near = new Set();
  lines.forEach(({ kind }, at) => {
    if (kind !== "same") for (let by = -AROUND; by <= AROUND; by += 1) near.add(at + by);
  });
  if (!near.size) return html`<p class="dim">The texts are the same.</p>`;
  const out = [];
  let hidden = 0;
  const flush = () => {
    if (hidden) out.push(html`<li class="dim">${hidden} unchanged ${hidden === 1 ? "line" : "lines"}</li>`);
    hidden = 0;
  };
  lines.forEach(({ kind, text }, at) => {
    if (!near.has(at)) return (hidden += 1);
    flush();
    const tag = { before: "del", after: "ins", same: "span" }[kind];
    return out.push(
      html`<li class=${kind}><span aria-hidden="true">${MARKS[kind]}</span><${tag} dir="auto">${text || " "}<//></li>`,
    );
  });
  flush();
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}><ul class="diff">${out}</ul></div>`;
}
