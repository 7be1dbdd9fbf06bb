// What a page of the documentation is in the browser: made of Markdown when the dashboard is built
// (web/build/docs.ts).

export type Inline =
  | string
  | { code: string }
  | { strong: Inline[] }
  | { em: Inline[] }
  /** Another page, by its address below /docs, or a place of it. */
  | { page: string; hash?: string; inside: Inline[] }
  /** An address outside of the documentation. */
  | { href: string; inside: Inline[] };

/** Code by pieces: text, or text with what it is: `keyword`, `string` … */
export type CodePart = string | [of: string, text: string];

export interface Drawing {
  tag: string;
  attributes: Record<string, string>;
  inside: (Drawing | string)[];
}

export type Block =
  | { kind: 'heading'; depth: number; id: string; inside: Inline[] }
  | { kind: 'paragraph'; inside: Inline[] }
  | { kind: 'list'; start?: number; items: Block[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'code'; language: string; parts: CodePart[] }
  | { kind: 'quote'; inside: Block[] }
  | { kind: 'picture'; alt: string; drawing: Drawing };

export interface DocsPage {
  /** Its address below /docs. */
  at: string;
  title: string;
  /** Path of the Markdown file. */
  source: string;
  blocks: Block[];
}

export interface DocsSection {
  title: string;
  folded: boolean;
  pages: { at: string; title: string }[];
}

/** One place that the search finds: a heading with the text below it. */
export interface DocsPlace {
  id: number;
  at: string;
  hash: string;
  /** Of the page. */
  page: string;
  /** Of the heading. */
  title: string;
  text: string;
}

export function plain(inside: readonly Inline[]): string {
  return inside.map((part) => (typeof part === 'string' ? part : 'code' in part ? part.code : plain(insideOf(part)))).join('');
}

function insideOf(part: Exclude<Inline, string | { code: string }>): Inline[] {
  if ('strong' in part) return part.strong;
  return 'em' in part ? part.em : part.inside;
}
