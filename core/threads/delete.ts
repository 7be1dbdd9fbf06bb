import { audit } from '../kernel/audit.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { inTx } from '../kernel/tx.ts';
import { threadFor } from './find.ts';

/** Its open jobs are cancelled. They end in their own time, and write nothing more here. */
export async function deleteThread(ctx: Ctx, { thread_id }: { thread_id: string }): Promise<void> {
  await inTx(ctx, async (ctx) => {
    const { owner_id } = await threadFor(ctx.db, ctx.actor, 'thread.delete', thread_id);
    let cancelled = 0;
    for (const { deleted } of ctx.followers.threads) cancelled += await deleted(ctx, { thread_id, owner_id });
    await ctx.db('threads').where({ thread_id }).delete();
    await audit(ctx, 'thread.delete', { thread: thread_id }, { cancelled });
  });
}
