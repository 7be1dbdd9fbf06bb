// Markdown to the tree of a page (web/docs/tree.ts). HTML is refused, except comments.
import { marked, type Token, type Tokens } from 'marked';
import type { Block, Inline } from '../../docs/tree.ts';
import { colored } from './color.ts';
import { decoded, drawingOf } from './drawing.ts';
import { slug, type Target } from './links.ts';

export interface BlockOptions {
  /** Path of the Markdown file. */
  source: string;
  target: (href: string) => Target;
  /** Text of a picture, by its path beside the file. */
  picture: (href: string) => string;
}

export function blocksOf(markdown: string, options: BlockOptions): Block[] {
  const ids = new Map<string, number>();
  const idOf = (title: string): string => {
    const id = slug(title);
    const before = ids.get(id) ?? 0;
    ids.set(id, before + 1);
    return before === 0 ? id : `${id}-${before}`;
  };
  return inBlocks(marked.lexer(markdown), { ...options, idOf });
}

/** Ids of all headings. */
export function headingIds(markdown: string): Set<string> {
  const options = { source: '', target: () => ({ href: '' }), picture: () => '<svg></svg>' };
  return new Set(blocksOf(markdown, options).flatMap((block) => (block.kind === 'heading' ? [block.id] : [])));
}

type Options = BlockOptions & { idOf: (title: string) => string };

function inBlocks(tokens: readonly Token[], options: Options): Block[] {
  return tokens.flatMap((token) => oneBlock(token, options) ?? []);
}

// Safe: marked has one shape of token for each type; its own union has a generic member that hides them.
const as = <T extends Token>(token: Token): T => token as T;

function oneBlock(token: Token, options: Options): Block | undefined {
  switch (token.type) {
    case 'heading': {
      const { depth, text, tokens } = as<Tokens.Heading>(token);
      return { kind: 'heading', depth, id: options.idOf(text), inside: inLine(tokens, options) };
    }
    case 'paragraph':
    case 'text':
      return paragraph(as<Tokens.Paragraph>(token), options);
    case 'list': {
      const { ordered, start, items } = as<Tokens.List>(token);
      return { kind: 'list', ...(ordered && { start: start === '' ? 1 : start }), items: items.map((item) => inBlocks(item.tokens, options)) };
    }
    case 'table': {
      const { header, rows } = as<Tokens.Table>(token);
      const cells = (row: readonly Tokens.TableCell[]): Inline[][] => row.map((cell) => inLine(cell.tokens, options));
      return { kind: 'table', head: cells(header), rows: rows.map(cells) };
    }
    case 'code': {
      const { lang = '', text } = as<Tokens.Code>(token);
      return { kind: 'code', language: lang, parts: colored(lang, text) };
    }
    case 'blockquote':
      return { kind: 'quote', inside: inBlocks(as<Tokens.Blockquote>(token).tokens, options) };
    case 'space':
      return undefined;
    case 'html':
      if (/^<!--[\s\S]*-->\s*$/.test(token.raw)) return undefined;
      throw new Error(`${options.source} has HTML: ${token.raw}`);
    default:
      throw new Error(`${options.source} has ${token.type}, which pages cannot show: ${token.raw}`);
  }
}

/** A picture is a block of its own. */
function paragraph({ text, tokens }: Tokens.Paragraph, options: Options): Block {
  const [only] = tokens ?? [];
  if (only?.type !== 'image') return { kind: 'paragraph', inside: tokens ? inLine(tokens, options) : [decoded(text)] };
  const { href, text: alt } = as<Tokens.Image>(only);
  if (alt.length < 20) throw new Error(`${options.source}: the picture ${href} needs a text that says what it shows`);
  return { kind: 'picture', alt, drawing: drawingOf(href, options.picture(href)) };
}

function inLine(tokens: readonly Token[], options: Options): Inline[] {
  return tokens.flatMap((token): Inline[] => {
    switch (token.type) {
      case 'text':
      case 'escape':
        return [decoded(as<Tokens.Text>(token).text).replaceAll('\n', ' ')];
      case 'codespan':
        return [{ code: as<Tokens.Codespan>(token).text.replaceAll('\n', ' ') }];
      case 'strong':
        return [{ strong: inLine(as<Tokens.Strong>(token).tokens, options) }];
      case 'em':
        return [{ em: inLine(as<Tokens.Em>(token).tokens, options) }];
      case 'link':
        return link(as<Tokens.Link>(token), options);
      case 'br':
        return [' '];
      default:
        throw new Error(`${options.source} has ${token.type} in a line, which pages cannot show: ${token.raw}`);
    }
  });
}

/** A file of the repository is not part of the site: its path is shown. */
function link({ raw, href, text, tokens }: Tokens.Link, options: Options): Inline[] {
  // In a sentence marked takes email addresses for links, too. Nothing of the reader's machine may be there
  // yet.
  if (raw === text) return /^https?:\/\/(?!localhost)/.test(href) ? [{ href, inside: [text] }] : [text];
  const target = options.target(href);
  const inside = inLine(tokens, options);
  if (!('file' in target)) return [{ ...target, inside }];
  const shown = text.replaceAll('`', '').replace(/\/$/, '');
  if (target.file.endsWith(shown.replace(/^(?:\.\.?\/)+/, ''))) return [{ code: target.file }];
  return [...inside, ' (', { code: target.file }, ')'];
}
