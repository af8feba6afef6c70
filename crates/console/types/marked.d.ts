// What the console uses of the vendored Markdown parser.

export interface Token {
  type: string;
  raw: string;
  text: string;
  tokens?: Token[];
  href: string;
  depth: number;
  ordered: boolean;
  start: number;
  items: Token[];
  header: Token[];
  rows: Token[][];
  align: (string | null)[];
}

export class Tokenizer {
  lexer: any;
  blockquote(text: string): Token | undefined;
  table(text: string): Token | undefined;
}

export class Lexer {
  constructor(options: { gfm: boolean; tokenizer: Tokenizer; extensions: unknown });
  tokens: Token[];
  inlineQueue: { src: string; tokens: Token[] }[];
  state: { inRawBlock: boolean };
  blockTokens(text: string, tokens?: Token[], last?: boolean): Token[];
  inlineTokens(text: string, tokens?: Token[]): Token[];
}
