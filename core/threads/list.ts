import type { z } from 'zod';
import type { ThreadOut } from '#contract/conversation/chat-threads.ts';
import type { ThreadsRow } from '#db/tables.ts';
import { whereMay } from '../kernel/policy.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { newestPage } from '../kernel/keyset.ts';
import type { Page } from '../kernel/page.ts';
import { presentThread } from './present.ts';

/** The thread with the newest message first. */
export async function listThreads(ctx: Ctx, i: { limit: number; cursor?: string | undefined; archived: boolean }): Promise<Page<z.infer<typeof ThreadOut>>> {
  const query = ctx.db('threads').where(whereMay(ctx.actor, 'thread.read')).select<ThreadsRow[]>('*');
  void (i.archived ? query.whereNotNull('archived_at') : query.whereNull('archived_at'));
  return newestPage(query, ['touched_at', 'thread_id'], i, presentThread);
}
