import type { TxCtx } from '../../kernel/ctx.ts';
import { cancelJob } from './cancel.ts';

/**
 * Without the thread no user could see or answer them. It locks jobs before the thread, as what shows a run
 * there does.
 */
export async function cancelJobsOfThread(ctx: TxCtx, { thread_id, owner_id }: { thread_id: string; owner_id: string }): Promise<number> {
  const open = await ctx.db('jobs').where({ thread_id, owner_id }).whereNull('ended_at').orderBy('job_id').forUpdate().select('job_id');
  for (const { job_id } of open) await cancelJob(ctx, { job_id });
  return open.length;
}
