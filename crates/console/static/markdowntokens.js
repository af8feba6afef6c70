// The parts of a Markdown text, by the vendored parser. Its work is bounded: a text that takes more is one paragraph,
// as it is written.

import { Lexer, Tokenizer } from "./vendor/marked.js";

/** Of a longer text the beginning is parsed, in characters. */
const LONGEST = 64 << 10;
/** Quotes, lists and emphasis within each other are parsed this deep. */
const DEEPEST = 16;
/** The most parts, cells of a table, and characters that are looked at for blocks and within them. */
const MOST = { parts: 10_000, cells: 5000, blocks: 20e6, inline: 1e6 };

class TooMuch extends Error {}

class BoundedTokenizer extends Tokenizer {
  /** The parser calls it within itself, too: for quotes that go on without their mark. */
  blockquote(text) {
    this.lexer.spend("blocks", this.lexer.reads === text ? 0 : text.length);
    return super.blockquote(text);
  }

  table(text) {
    const head = /^([^\n]*)\n[ |:-]+(\n|$)/.exec(text);
    const columns = head ? head[1].split("|").length : 0;
    let cells = columns;
    // Rows that are shorter get cells that are empty.
    for (let at = head ? head[0].length : text.length; at < text.length && text[at] !== "\n"; cells += columns) {
      if (cells > MOST.cells) throw new TooMuch();
      at = text.indexOf("\n", at) + 1 || text.length;
    }
    return super.table(text);
  }
}

/** What the parser calls before each part. */
const counts = (what) =>
  /** @this {any} */
  function count(text) {
    this.lexer.part(what, text);
  };

class BoundedLexer extends Lexer {
  depth = 0;
  reads = "";
  spent = { parts: 0, blocks: 0, inline: 0 };

  spend(what, amount) {
    this.spent[what] += amount;
    if (this.spent[what] > MOST[what]) throw new TooMuch();
  }

  part(what, text) {
    this.reads = text;
    this.spend("parts", 1);
    this.spend(what, text.length);
  }

  /** Adds the parts of a text, or where that is too deep the text. */
  deeper(text, tokens, parse) {
    if (this.depth >= DEEPEST) {
      tokens.push(/** @type {any} */ ({ type: "text", raw: text, text }));
      return tokens;
    }
    this.depth += 1;
    try {
      return parse();
    } finally {
      this.depth -= 1;
    }
  }

  blockTokens(text, tokens = /** @type {any[]} */ ([]), last = false) {
    // A paragraph that goes on is put together anew with each of its lines.
    this.spend("blocks", tokens.at(-1)?.raw.length || 0);
    return this.deeper(text, tokens, () => super.blockTokens(text, tokens, last));
  }

  inlineTokens(text, tokens = /** @type {any[]} */ ([])) {
    this.spend("inline", text.length);
    return this.deeper(text, tokens, () => super.inlineTokens(text, tokens));
  }
}

/** Where a text is cut: behind the last line that is parsed. */
const endOf = (text) => (text.length > LONGEST ? text.lastIndexOf("\n", LONGEST) + 1 || LONGEST : text.length);

/**
 * The parts of a text, as the parser has them, and what comes behind them as it is written. Without parts the text was
 * too much work.
 * @param {string} text
 * @returns {{parts?: import("./vendor/marked.js").Token[], rest: string}}
 */
export function partsOf(text) {
  const whole = text.replace(/\r\n?/g, "\n");
  const end = endOf(whole);
  const extensions = { block: [counts("blocks")], inline: [counts("inline")] };
  const lexer = new BoundedLexer({ gfm: true, tokenizer: new BoundedTokenizer(), extensions });
  try {
    lexer.blockTokens(whole.slice(0, end), lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      lexer.state.inRawBlock = false;
      lexer.inlineTokens(src, tokens);
    }
    return { parts: lexer.tokens, rest: whole.slice(end) };
  } catch {
    // Too much work, or something that the parser does not end.
    return { rest: whole };
  }
}

/** Characters that texts name, beside those of numbers; other names stay as they are written. */
const NAMED =
  "amp& lt< gt> quot\" apos' nbsp\u00a0 copy© reg® trade™ hellip… mdash— ndash– lsquo‘ rsquo’ ldquo“ rdquo” bdquo„ " +
  "laquo« raquo» bull• middot· deg° plusmn± times× divide÷ micro\u00b5 sect§ para¶ euro€ pound£ yen¥ cent¢ larr← " +
  "uarr↑ rarr→ darr↓ harr↔ le≤ ge≥ ne≠ infin∞ check✓ cross✗ auml\u00e4 ouml\u00f6 uuml\u00fc Auml\u00c4 Ouml\u00d6 " +
  "Uuml\u00dc szlig\u00df eacute\u00e9 egrave\u00e8 agrave\u00e0 ccedil\u00e7";
const ENTITIES = new Map(NAMED.split(" ").map((one) => [one.slice(0, -1), one.slice(-1)]));

/** A text with the characters that it names. */
export const decoded = (text) =>
  text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g, (whole, decimal, hex, name) => {
    if (name) return ENTITIES.get(name) ?? whole;
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    return code && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
