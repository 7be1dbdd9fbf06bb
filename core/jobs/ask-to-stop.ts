// Requests that work which another work began stops. It ends on its own, when its workflow has undone what it
// did.
import { appendEvent } from './append-event.ts';
import type { TxCtx } from '../kernel/ctx.ts';
import { cancelWorkflow } from '../outbox/messages.ts';

/** `by`: a word for who asks, in its event. What has ended, or has no workflow, is not changed. */
export async function askToStop(ctx: TxCtx, job: { job_id: string; workflow_id: string | null; ended_at: Date | null } | undefined, by: string): Promise<void> {
  if (!job || job.ended_at !== null || job.workflow_id === null) return;
  await appendEvent(ctx.db, job.job_id, 'job.cancel_requested', { by });
  await cancelWorkflow(ctx, job.workflow_id);
}

/** All that it started and that has not ended. */
export async function askChildrenToStop(ctx: TxCtx, jobId: string): Promise<void> {
  const open = await ctx.db('jobs').where({ parent_job_id: jobId }).whereNull('ended_at').select('job_id', 'workflow_id', 'ended_at');
  for (const child of open) await askToStop(ctx, child, 'parent');
}
