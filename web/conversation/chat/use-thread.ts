// Reads the record of a thread. No route reads a single one: it is looked up in the lists.
import { useSuspenseQuery } from '@tanstack/react-query';
import { type Output, send } from '../../api/client.ts';
import type { Item } from '../../api/query.ts';

export type Thread = Item<'chatThreads', 'list'>;

/** Threads that are looked through; who has more finds the title missing, and nothing else. */
const PAGES = 5;

/** Null: it is not among the account's newest. */
export function useThread(threadId: string): Thread | null {
  return useSuspenseQuery({ queryKey: ['chatThreads', 'list', 'one', threadId], staleTime: 30_000, queryFn: ({ signal }) => findThread(threadId, signal) })
    .data;
}

async function findThread(threadId: string, signal: AbortSignal): Promise<Thread | null> {
  for (const archived of [false, true]) {
    let cursor: string | undefined;
    for (let page = 0; page < PAGES; page += 1) {
      const threads: Output<'chatThreads', 'list'> = await send(
        'chatThreads',
        'list',
        { query: { archived, limit: 200, ...(cursor !== undefined && { cursor }) } },
        { signal },
      );
      const thread = threads.items.find((one) => one.thread_id === threadId);
      if (thread) return thread;
      if (threads.next_cursor === null) break;
      cursor = threads.next_cursor;
    }
  }
  return null;
}
