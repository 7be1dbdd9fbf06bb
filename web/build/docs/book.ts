// All pages of the documentation, read and checked: a missing link, heading or picture stops the build.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONTENTS, ENTRIES } from '../../../docs/contents.ts';
import { type Block, type DocsPage, type DocsPlace, type DocsSection, type Inline, plain } from '../../docs/tree.ts';
import { blocksOf, headingIds } from './blocks.ts';
import { targetOf } from './links.ts';

export interface Book {
  sections: DocsSection[];
  pages: DocsPage[];
}

/** @param root of the repository */
export function readBook(root: string): Book {
  const read = (source: string): string => {
    if (!existsSync(join(root, source))) throw new Error(`docs/contents.ts names ${source}, which does not exist`);
    return readFileSync(join(root, source), 'utf8');
  };
  const ids = new Map<string, ReadonlySet<string>>();
  const headings = (source: string): ReadonlySet<string> => {
    const known = ids.get(source) ?? headingIds(read(source));
    ids.set(source, known);
    return known;
  };
  const pages = ENTRIES.map(({ source, at }): DocsPage => {
    const [first, ...blocks] = blocksOf(read(source), {
      source,
      target: (href) => targetOf(source, href, { root, entries: ENTRIES, headings }),
      picture: (href) => read(join(dirname(source), href)),
    });
    if (first?.kind !== 'heading' || first.depth !== 1) throw new Error(`${source} does not begin with a heading`);
    return { at, source, title: plain(first.inside), blocks };
  });
  const titles = new Map(pages.map(({ at, title }) => [at, title]));
  const sections = CONTENTS.map(({ title, folded = false, pages: entries }) => ({
    title,
    folded,
    pages: entries.map(({ at, title: short = titles.get(at) ?? at }) => ({ at, title: short })),
  }));
  return { sections, pages };
}

/** What the search finds: each heading with the text up to the next one. */
export function placesOf(pages: readonly DocsPage[]): DocsPlace[] {
  const places: Omit<DocsPlace, 'id'>[] = [];
  for (const { at, title, blocks } of pages) {
    let place = { at, hash: '', page: title, title, text: '' };
    places.push(place);
    for (const block of blocks) {
      if (block.kind !== 'heading') place.text = `${place.text} ${textOf(block)}`.trim();
      else places.push((place = { at, hash: block.id, page: title, title: plain(block.inside), text: '' }));
    }
  }
  return places.map((place, id) => ({ ...place, id }));
}

function textOf(block: Block): string {
  const lines = (all: readonly Inline[][]): string => all.map(plain).join(' ');
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return plain(block.inside);
    case 'list':
      return block.items.map((item) => item.map(textOf).join(' ')).join(' ');
    case 'table':
      return [lines(block.head), ...block.rows.map(lines)].join(' ');
    case 'code':
      return block.parts
        .map((part) => (typeof part === 'string' ? part : part[1]))
        .join('')
        .replaceAll(/\s+/g, ' ');
    case 'quote':
      return block.inside.map(textOf).join(' ');
    case 'picture':
      return block.alt;
  }
}
