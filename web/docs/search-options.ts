// The index is made with these options (web/build/docs/search-index.ts) and read with them.
import type { Options } from 'minisearch';
import type { DocsPlace } from './tree.ts';

export const SEARCH_OPTIONS: Options<DocsPlace> = {
  fields: ['title', 'page', 'text'],
  storeFields: ['at', 'hash', 'page', 'title', 'text'],
  searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: (term) => (term.length > 4 ? 0.2 : false), combineWith: 'AND' },
};
