import type { z } from 'zod';
import type { Handoffs, ThreadOut } from '#contract/conversation/chat-threads.ts';
import { act, done } from '../kernel/act.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { storableText } from '../kernel/storable.ts';
import { threadById, threadFor } from './find.ts';
import { presentThread } from './present.ts';

export interface UpdateThreadIn {
  thread_id: string;
  title?: string | undefined;
  archived?: boolean | undefined;
  handoffs?: z.infer<typeof Handoffs> | undefined;
}

export async function updateThread(ctx: Ctx, i: UpdateThreadIn): Promise<z.infer<typeof ThreadOut>> {
  return act(ctx, 'thread.update', threadById(i.thread_id, true), async (ctx) => {
    await ctx
      .db('threads')
      .where({ thread_id: i.thread_id })
      .update({
        ...(i.title === undefined ? { title: ctx.db.raw('title') } : { title: storableText(i.title), titled: true }),
        ...(i.archived === undefined ? {} : { archived_at: i.archived ? ctx.db.raw('coalesce(archived_at, now())') : null }),
        ...(i.handoffs === undefined ? {} : { handoffs: i.handoffs }),
      });
    const { thread_id: _, ...changes } = i;
    return done({ thread: i.thread_id }, { ...changes }, presentThread(await threadFor(ctx.db, ctx.actor, 'thread.update', i.thread_id)));
  });
}
