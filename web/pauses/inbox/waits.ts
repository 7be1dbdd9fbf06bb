// Everything that waits for a decision of the account, what ends soonest first.
import { queryOptions } from '@tanstack/react-query';
import { send, type Output } from '../../api/client.ts';
import { refreshInterval } from '../../api/refresh-interval.ts';
import { now } from '../../api/visit.ts';

export type Wait = Output<'inbox', 'waits'>['items'][number];

const PAGE = 200;
/** More than a user decides in one visit. */
const MAX_PAGES = 5;

export const waitsQuery = queryOptions({
  queryKey: ['inbox', 'all waits'],
  queryFn: ({ signal }) => openWaits(signal),
  staleTime: 0,
  refetchInterval: ({ state }) => Math.min(refreshInterval(4_000)(), untilNextEnd(state.data ?? [])),
  refetchOnWindowFocus: 'always',
});

/** What ends must not look open: nobody tells the page of a time that passes. */
function untilNextEnd(waits: readonly Wait[]): number {
  return Math.max(1_000, Math.min(...waits.map(({ expires_at }) => Date.parse(expires_at) - now() + 500)));
}

async function openWaits(signal: AbortSignal): Promise<Wait[]> {
  const waits: Wait[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, next_cursor: next } = await send('inbox', 'waits', { query: { limit: PAGE, cursor } }, { signal });
    waits.push(...items);
    if (next === null) break;
    cursor = next;
  }
  return waits;
}

/** Each once, what ends soonest first. */
export function inOrder<W extends { wait_id: string; expires_at: string }>(waits: readonly W[]): W[] {
  const once = new Map(waits.map((wait) => [wait.wait_id, wait]));
  return [...once.values()].sort((a, b) => Date.parse(a.expires_at) - Date.parse(b.expires_at) || (a.wait_id < b.wait_id ? -1 : 1));
}
