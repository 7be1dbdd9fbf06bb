import MiniSearch from 'minisearch';
import type { DocsPlace } from '../../docs/tree.ts';
import { SEARCH_OPTIONS } from '../../docs/search-options.ts';

/** The index as JSON, for `MiniSearch.loadJSON`. */
export function indexOf(places: readonly DocsPlace[]): string {
  const index = new MiniSearch<DocsPlace>(SEARCH_OPTIONS);
  index.addAll(places);
  return JSON.stringify(index);
}
