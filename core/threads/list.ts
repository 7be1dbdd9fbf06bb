import type { z } from 'zod';
import type { ThreadOut } from '#contract/conversation/chat-threads.ts';
import type { ThreadsRow } from '#db/tables.ts';
import { whereMay } from '../kernel/policy.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { microseconds, newestFirst } from '../kernel/keyset.ts';
import { type Page, toPage } from '../kernel/page.ts';
import { presentThread } from './present.ts';

/** The thread with the newest message first. */
export async function listThreads(ctx: Ctx, i: { limit: number; cursor?: string | undefined; archived: boolean }): Promise<Page<z.infer<typeof ThreadOut>>> {
  const query = ctx
    .db('threads')
    .where(whereMay(ctx.actor, 'thread.read'))
    .select<(ThreadsRow & { cursor_at: number })[]>('*', ctx.db.raw(`${microseconds('touched_at')} as cursor_at`));
  void (i.archived ? query.whereNotNull('archived_at') : query.whereNull('archived_at'));
  newestFirst(query, ['touched_at', 'thread_id'], i);
  return toPage(await query, i.limit, presentThread, (row) => [row.cursor_at, row.thread_id]);
}
