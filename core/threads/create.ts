import type { z } from 'zod';
import type { Handoffs, ThreadOut } from '#contract/conversation/chat-threads.ts';
import type { ThreadsRow } from '#db/tables.ts';
import { requireUser } from '../kernel/policy.ts';
import { act, recorded } from '../kernel/act.ts';
import { audit } from '../kernel/audit.ts';
import type { Ctx, TxCtx } from '../kernel/ctx.ts';
import { newId } from '../kernel/ids.ts';
import { storableText } from '../kernel/storable.ts';
import { presentThread } from './present.ts';

export interface NewThread {
  ownerId: string;
  title: string;
  /** The person chose the title: the first message does not replace it. */
  titled: boolean;
  handoffs?: z.infer<typeof Handoffs> | undefined;
}

export async function createThread(ctx: Ctx, i: { title?: string | undefined; handoffs: z.infer<typeof Handoffs> }): Promise<z.infer<typeof ThreadOut>> {
  return act(ctx, 'thread.create', requireUser, async (ctx, { user_id }) => {
    const row = await addThread(ctx, { ownerId: user_id, title: i.title ?? 'New conversation', titled: i.title !== undefined, handoffs: i.handoffs });
    return recorded(presentThread(row));
  });
}

export async function addThread(ctx: TxCtx, i: NewThread): Promise<ThreadsRow> {
  const thread_id = newId('thr', ctx.clock());
  const [row] = await ctx
    .db('threads')
    .insert({ thread_id, owner_id: i.ownerId, title: storableText(i.title), titled: i.titled, ...(i.handoffs && { handoffs: i.handoffs }) })
    .returning('*');
  if (!row) throw new Error('the thread was not stored');
  await audit(ctx, 'thread.create', { thread: thread_id });
  return row;
}
