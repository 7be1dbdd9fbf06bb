import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { cancelJob } from '../job/cancel.ts';
import { threadFor } from './find.ts';

/** Cancels its open jobs: without the thread no person could see or answer them. They end by themselves and write no more here. */
export async function deleteThread(ctx: Ctx, i: { thread_id: string }): Promise<void> {
  await inTx(ctx, async (tx, inner) => {
    const { owner_id } = await threadFor(tx, ctx.actor, 'thread.delete', i.thread_id);
    // Locks jobs before the thread, as append-run.ts does.
    const open = await tx('jobs').where({ thread_id: i.thread_id, owner_id }).whereNull('ended_at').orderBy('job_id').forUpdate().select('job_id');
    for (const { job_id } of open) await cancelJob(inner, { job_id });
    await tx('threads').where({ thread_id: i.thread_id }).delete();
    await audit(tx, inner, 'thread.delete', i.thread_id, { cancelled: open.length });
  });
}
