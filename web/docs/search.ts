// The search runs in the browser, over an index that was made with the pages. It is loaded for the first
// search.
import type { DocsPlace } from './tree.ts';

export interface DocsHit extends DocsPlace {
  /** Words of the place that were searched for, as they stand there. */
  terms: string[];
}

export type Search = (q: string) => DocsHit[];

/** On the list of what was found: the field finds it by this. */
export const RESULTS_ID = 'docs-found';
const MAX_RESULTS = 40;

let loading: Promise<Search> | undefined;

export function loadSearch(): Promise<Search> {
  return (loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  }));
}

async function load(): Promise<Search> {
  const [{ default: MiniSearch }, { index }, { SEARCH_OPTIONS }] = await Promise.all([
    import('minisearch'),
    import('virtual:docs-search'),
    import('./search-options.ts'),
  ]);
  const places = MiniSearch.loadJSON<DocsPlace>(index, SEARCH_OPTIONS);
  return (q) =>
    places
      .search(q)
      .slice(0, MAX_RESULTS)
      .map(({ id, at, hash, page, title, text, terms }) => ({ id, at, hash, page, title, text, terms }));
}

export function firstResult(): HTMLElement | null {
  return document.querySelector<HTMLElement>(`#${RESULTS_ID} a`);
}
