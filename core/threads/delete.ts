import { act, done } from '../kernel/act.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { threadById } from './find.ts';

/** Its open jobs are cancelled. They end in their own time, and write nothing more here. */
export async function deleteThread(ctx: Ctx, { thread_id }: { thread_id: string }): Promise<void> {
  await act(ctx, 'thread.delete', threadById(thread_id), async (ctx, { owner_id }) => {
    let cancelled = 0;
    for (const { deleted } of ctx.followers.threads) cancelled += await deleted(ctx, { thread_id, owner_id });
    await ctx.db('threads').where({ thread_id }).delete();
    return done({ thread: thread_id }, { cancelled });
  });
}
