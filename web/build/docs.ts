// The documentation: Markdown files of the repository as modules, made at build time. `virtual:docs` has the
// table of contents and a loader for each page, `virtual:docs-search` the index of all of them. The browser
// gets no Markdown and no HTML.
// reads: docs/ README.md
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { type Book, placesOf, readBook } from './docs/book.ts';
import { indexOf } from './docs/search-index.ts';

const ALL = 'virtual:docs';
const ONE = `${ALL}/`;
const SEARCH = `${ALL}-search`;
const ROOT = join(import.meta.dirname, '../..');

/**
 * The name that a page of the documentation has in the build's manifest. @param at below /docs, without
 * slashes around it
 */
export const textModule = (at: string): string => `../${ONE}${at || 'start'}`;

export function documentation(): Plugin {
  let book: Book | undefined;
  return {
    name: 'svc:documentation',
    buildStart() {
      book = undefined;
    },
    resolveId: (id) => (id === ALL || id === SEARCH || id.startsWith(ONE) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${ALL}`)) return undefined;
      book ??= readBook(ROOT);
      for (const { source } of book.pages) this.addWatchFile(join(ROOT, source));
      if (id === `\0${ALL}`) return contentsModule(book);
      // A string that is parsed: faster to read than an expression of that size.
      if (id === `\0${SEARCH}`) return `export const index = ${JSON.stringify(indexOf(placesOf(book.pages)))};`;
      const page = book.pages.find(({ at }) => id === `\0${ONE}${at || 'start'}`);
      return page && `export const page = JSON.parse(${JSON.stringify(JSON.stringify(page))});`;
    },
    handleHotUpdate({ file }) {
      if (file.endsWith('.md') || file.endsWith('.svg')) book = undefined;
    },
  };
}

function contentsModule({ sections, pages }: Book): string {
  const loaders = pages.map(({ at }) => `${JSON.stringify(at)}: () => import(${JSON.stringify(ONE + (at || 'start'))})`);
  return `export const sections = ${JSON.stringify(sections)};\nexport const loaders = {${loaders.join(',\n')}};`;
}
