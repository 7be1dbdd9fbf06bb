// Markdown as a tree that holds nothing but what we show: no HTML, no address that is not safe, no nesting
// without end. Pure.
import type { Lexer, MarkedToken, Token, Tokens } from 'marked';
import { otherPlace, safeAddress, shownPlainly, withoutEntities } from './markdown-link.ts';

type Align = 'left' | 'right' | 'center' | null;
export type Node =
  | { is: 'text'; text: string }
  | { is: 'strong' | 'em' | 'del' | 'quote' | 'paragraph'; of: Node[] }
  | { is: 'heading'; level: number; of: Node[] }
  | { is: 'code' | 'block'; text: string }
  /** `place`: the host, where the words of the link name another one. */
  | { is: 'link'; address: string; place?: string; of: Node[] }
  | { is: 'list'; first: number | null; items: { done: boolean | null; of: Node[] }[] }
  | { is: 'table'; align: Align[]; rows: Node[][][] }
  | { is: 'break' | 'line' };

const DEEPEST = 16;
const MOST_CELLS = 5_000;
/**
 * The lexer needs the square of its time for paragraphs with many marks. Such a paragraph is shown as it is.
 */
const LONG = 3_000;
const MOST_MARKS = 600;
const LONGEST_WORD = 2_000;
/** A line that opens so many quotes and lists at once: the lexer would call itself until there is no room. */
const TOWER = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){40}/m;

/** @param make so that `marked` is loaded by who needs it */
export function markdownTree(text: string, make: () => Lexer): Node[] {
  if (TOWER.test(text)) return plain(text);
  try {
    const lexer = make();
    lexer.blockTokens(text.replaceAll('\r\n', '\n'), lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue)
      if (isTangled(src)) tokens.push({ type: 'escape', raw: src, text: src });
      else lexer.inlineTokens(src, tokens);
    return withoutGaps(nodes(lexer.tokens, 0));
  } catch (error) {
    // Nested so deeply that the lexer gives up.
    if (error instanceof Error) return plain(text);
    throw error;
  }
}

const plain = (text: string): Node[] => [{ is: 'paragraph', of: [{ is: 'text', text }] }];

/** Headings go down one step at a time, whatever the text has, so that the page keeps an outline. */
function withoutGaps(tree: Node[]): Node[] {
  let last = 0;
  const walk = (one: Node): Node => {
    if (one.is === 'heading') {
      last = Math.min(one.level, last + 1);
      return { ...one, level: last };
    }
    if (one.is === 'quote') return { ...one, of: one.of.map(walk) };
    return one.is === 'list' ? { ...one, items: one.items.map((item) => ({ ...item, of: item.of.map(walk) })) } : one;
  };
  return tree.map(walk);
}

function isTangled(text: string): boolean {
  if (text.length < LONG) return false;
  return (text.match(/[*_~`[\]<&]/g)?.length ?? 0) > MOST_MARKS || text.split(/\s/).some(({ length }) => length > LONGEST_WORD);
}

function nodes(tokens: readonly Token[], depth: number): Node[] {
  return tokens.flatMap((token) => node(known(token), depth));
}

function node(token: MarkedToken, depth: number): Node[] {
  if (depth > DEEPEST) return [{ is: 'text', text: token.raw }];
  const below = (of: readonly Token[] | undefined): Node[] => nodes(of ?? [], depth + 1);
  switch (token.type) {
    case 'heading':
      return [{ is: 'heading', level: token.depth, of: below(token.tokens) }];
    case 'paragraph':
      return [{ is: 'paragraph', of: below(token.tokens) }];
    case 'blockquote':
      return [{ is: 'quote', of: below(token.tokens) }];
    case 'list':
      return [{ is: 'list', first: token.ordered ? Number(token.start) || 0 : null, items: token.items.map((item) => listItem(item, below)) }];
    case 'table':
      return [table(token, below)];
    case 'code':
      return [{ is: 'block', text: token.text }];
    case 'hr':
      return [{ is: 'line' }];
    case 'br':
      return [{ is: 'break' }];
    case 'strong':
    case 'em':
    case 'del':
      return [{ is: token.type, of: below(token.tokens) }];
    case 'codespan':
      return [{ is: 'code', text: token.text }];
    case 'link':
      return [link(token, below)];
    case 'image':
      return [image(token)];
    case 'html':
      return [token.block ? { is: 'paragraph', of: [{ is: 'text', text: token.text.trimEnd() }] } : { is: 'text', text: token.text }];
    case 'text':
      return token.tokens ? below(token.tokens) : [{ is: 'text', text: withoutEntities(token.text) }];
    case 'escape':
      return [{ is: 'text', text: token.text }];
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    default:
      return [{ is: 'text', text: token.raw }];
  }
}

function listItem({ task, checked, tokens }: Tokens.ListItem, below: (of: Token[]) => Node[]): { done: boolean | null; of: Node[] } {
  return { done: task ? checked === true : null, of: below(tokens) };
}

function table({ header, align, rows }: Tokens.Table, below: (of: Token[]) => Node[]): Node {
  const most = Math.max(1, Math.floor(MOST_CELLS / Math.max(1, header.length)));
  const all = [header, ...rows.slice(0, most)];
  const left = rows.length - most;
  return {
    is: 'table',
    align,
    rows: [...all.map((row) => row.map(({ tokens }) => below(tokens))), ...(left > 0 ? [[[{ is: 'text' as const, text: `… ${left} more rows` }]]] : [])],
  };
}

function link(token: Tokens.Link, below: (of: Token[]) => Node[]): Node {
  // In <…> and bare addresses nothing is written as an entity.
  const address = safeAddress(token.autolink ? token.href : withoutEntities(token.href));
  const of = below(token.tokens).map(plainly);
  if (address === undefined) return { is: 'text', text: shownPlainly(token.raw) };
  const place = otherPlace(address, wordsOf(of));
  return { is: 'link', address, ...(place !== undefined && { place }), of };
}

/** Nothing is loaded from elsewhere: a link with the words of the image. */
function image({ href, text, raw }: Tokens.Image): Node {
  const address = safeAddress(withoutEntities(href));
  const words = shownPlainly(withoutEntities(text));
  if (address === undefined) return { is: 'text', text: shownPlainly(raw) };
  return { is: 'link', address, of: [{ is: 'text', text: words === '' ? address : words }] };
}

function plainly(one: Node): Node {
  if (one.is === 'text' || one.is === 'code') return { ...one, text: shownPlainly(one.text) };
  // A link inside a link, of an image: only its words.
  if (one.is === 'link') return { is: 'em', of: one.of.map(plainly) };
  return 'of' in one ? { ...one, of: one.of.map(plainly) } : one;
}

function wordsOf(of: readonly Node[]): string {
  return of.map((one) => ('text' in one ? one.text : 'of' in one ? wordsOf(one.of) : ' ')).join('');
}

// Safe: no extension of the lexer is used, and what is not known falls to `default`.
function known(token: Token): MarkedToken {
  return token as MarkedToken;
}
