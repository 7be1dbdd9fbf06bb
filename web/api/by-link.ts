// Lists whose next page is named by a Link header (RFC 8288): the body is the list itself.
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { createClient } from '#contract/client.ts';
import { fetchActing } from './organization.ts';
import type { Pages } from './query.ts';

type Listed = 'list' | 'mine';
type ItemOf<R extends Listed> = Awaited<ReturnType<ReturnType<typeof createClient>['agents'][R]>>[number];

interface LinkedPage<T> {
  items: T[];
  next: string | undefined;
}

/** All pages read so far of the agents one sees, or of one's own. */
export function usePagesByLink<R extends Listed>(route: R, query: { limit: number }): Pages<ItemOf<R>> {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery({
    queryKey: ['agents', route, 'pages', query],
    queryFn: ({ pageParam, signal }) => readPage(route, { ...query, ...(pageParam !== undefined && { cursor: pageParam }) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  return {
    items: data.pages.flatMap(({ items }) => items),
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
  };
}

/** The typed client reads the body; this reads the header beside it. */
async function readPage<R extends Listed>(route: R, query: { limit: number; cursor?: string }, signal: AbortSignal): Promise<LinkedPage<ItemOf<R>>> {
  let link: string | null = null;
  const client = createClient({
    baseUrl: '',
    fetch: async (...request) => {
      const response = await fetchActing(...request);
      link = response.headers.get('link');
      return response;
    },
  });
  const items = route === 'list' ? await client.agents.list({ query }, { signal }) : await client.agents.mine({ query }, { signal });
  return { items: asItems<R>(items), next: nextIn(link) };
}

export function nextIn(link: string | null): string | undefined {
  const [, target] = /<([^>]*)>;\s*rel="?next"?/.exec(link ?? '') ?? [];
  return target === undefined ? undefined : (new URL(target, 'http://here').searchParams.get('cursor') ?? undefined);
}

// Safe: `route` is the one that was asked.
function asItems<R extends Listed>(items: readonly unknown[]): ItemOf<R>[] {
  return items as ItemOf<R>[];
}
