// For the loaders of routes: what a page reads is asked for at once while its script comes, not one after the
// other as its parts are made.
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { queries } from '../api/query.ts';
import { ifSignedIn } from './session.ts';

/** What `read` or `pagesOf` made. */
export interface Reading {
  queryKey: QueryKey;
}

/**
 * @param all as the page itself asks for it, and only what it always shows. Does not wait for them: the page
 * shows what it has, and refusals.
 */
export const begin = (...all: Reading[]): Promise<void> => ifSignedIn(() => all.map(prefetch));

/** Of a page that everybody may see. */
export const beginForAll = (...all: Reading[]): void => void all.map(prefetch);

const prefetch = (one: Reading): Promise<void> => ('initialPageParam' in one ? queries().prefetchInfiniteQuery(asPages(one)) : queries().prefetchQuery(one));

// Safe: what has a first page is made by `pagesOf`.
function asPages(one: Reading): Parameters<QueryClient['prefetchInfiniteQuery']>[0] {
  return one as Parameters<QueryClient['prefetchInfiniteQuery']>[0];
}
