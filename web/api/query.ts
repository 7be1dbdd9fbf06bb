// Reading and changing through the API: what is read is kept by group, route and input; a change says which
// groups to read again.
import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
  type UseMutationResult,
} from '@tanstack/react-query';
import { tell } from '../kit/toasts.tsx';
import { type GroupName, type Input, type Output, type RouteName, send } from './client.ts';
import { visit } from './visit.ts';

/** What this visit has read. */
export const queries = (): QueryClient => visit().queries;

type NeedsInput<G extends GroupName, R extends RouteName<G>> = {} extends Input<G, R> ? [input?: Input<G, R>] : [input: Input<G, R>];
/** Milliseconds; false: not. A function sees what was read last. */
type Every<T> = number | false | ((last: T | undefined) => number | false);

/** For loaders, prefetching and `useRead`. */
export function read<G extends GroupName, R extends RouteName<G>>(group: G, route: R, ...[input]: NeedsInput<G, R>) {
  return queryOptions({ queryKey: [group, route, input ?? {}], queryFn: ({ signal }): Promise<Output<G, R>> => send(group, route, input, { signal }) });
}

/**
 * Suspends until it is there; errors go to the page's boundary. `every`: read again so often, while the page
 * is seen.
 */
export function useRead<G extends GroupName, R extends RouteName<G>>(
  group: G,
  route: R,
  input: Input<G, R>,
  more: { every?: Every<Output<G, R>> } = {},
): Output<G, R> {
  const { every } = more;
  return useSuspenseQuery({
    ...read(group, route, ...([input] as unknown as NeedsInput<G, R>)),
    ...(every !== undefined && {
      refetchInterval: typeof every === 'function' ? (query: { state: { data: Output<G, R> | undefined } }) => every(query.state.data) : every,
    }),
  }).data;
}

type Page = { items: readonly unknown[]; next_cursor: string | null };
/** Routes that answer page by page, as `{ items, next_cursor }`. */
export type PagedRoute<G extends GroupName> = { [R in RouteName<G>]: Output<G, R> extends Page ? R : never }[RouteName<G>];
export type Item<G extends GroupName, R extends RouteName<G>> = Output<G, R> extends { items: readonly (infer T)[] } ? T : never;

export interface Pages<T> {
  items: T[];
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore(): void;
}

/** For loaders: the first page of such a list, asked for while the page's script comes. */
export function pagesOf<G extends GroupName, R extends PagedRoute<G>>(group: G, route: R, input: Input<G, R>) {
  return infiniteQueryOptions({
    queryKey: [group, route, 'pages', input],
    queryFn: ({ pageParam, signal }) => send(group, route, withCursor(input, pageParam), { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => asPage<Item<G, R>>(last).next_cursor ?? undefined,
  });
}

/** All pages read so far as one list; kept, so that "back" shows as much as before. */
export function usePages<G extends GroupName, R extends PagedRoute<G>>(
  group: G,
  route: R,
  input: Input<G, R>,
  more: { every?: number | false | (() => number) } = {},
): Pages<Item<G, R>> {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery({
    ...pagesOf(group, route, input),
    refetchInterval: more.every ?? false,
  });
  return {
    items: data.pages.flatMap((page) => asPage<Item<G, R>>(page).items),
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
  };
}

// Safe: usePages takes only routes that answer so.
function asPage<T>(answer: unknown): { items: readonly T[]; next_cursor: string | null } {
  return answer as { items: readonly T[]; next_cursor: string | null };
}

// Safe: routes that answer pages take a cursor.
function withCursor<I>(input: I, cursor: string | undefined): I {
  const { query, ...rest } = input as { query?: object };
  return { ...rest, query: { ...query, ...(cursor !== undefined && { cursor }) } } as I;
}

export interface SendOptions<G extends GroupName, R extends RouteName<G>> {
  /** Said when it is done; a function sees the answer. */
  done?: string | ((answer: Output<G, R>) => string);
  /** Groups whose answers are out of date now; default: the route's own. */
  refresh?: GroupName[];
  onDone?: (answer: Output<G, R>, input: Input<G, R>) => void;
  /** The page shows the refusal itself, e.g. at the fields of a form. */
  quiet?: true;
}

/** A change. What the API refuses is shown in a corner unless `quiet`. */
export function useSend<G extends GroupName, R extends RouteName<G>>(
  group: G,
  route: R,
  { done, refresh = [group], onDone, quiet }: SendOptions<G, R> = {},
): UseMutationResult<Output<G, R>, Error, Input<G, R>> {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: Input<G, R>) => send(group, route, input),
    onSuccess: async (answer, input) => {
      onDone?.(answer, input);
      if (done !== undefined) tell.done(typeof done === 'function' ? done(answer) : done);
      await Promise.all(refresh.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
    },
    onError: (error) => {
      if (!quiet) tell.failed(error);
    },
  });
}
