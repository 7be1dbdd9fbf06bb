// A job whose workflow is lost.
import type { Ctx } from '../kernel/ctx.ts';
import type { Fault } from '../kernel/errors.ts';
import type { WorkflowOwner } from '../kernel/lost-workflow.ts';

/** Ends a job whose workflow is gone; one for each kind of job. */
export type Abandon = (ctx: Ctx, job: { job_id: string; input: unknown }, fault: Fault) => Promise<void>;

/**
 * The owner of a job's workflow: what the engine lost starts again, and a workflow that a person or a fault
 * ended ends its job.
 */
export function ownerOfJob(abandon: Abandon): WorkflowOwner {
  return async (ctx, { workflow_id, state }) => {
    const job = await ctx.db('jobs').where({ workflow_id }).whereNull('ended_at').first('job_id', 'input');
    if (!job) return 'over';
    if (state === 'absent') return 'again';
    await abandon(ctx, job, { code: 'workflow_lost', message: `The work's workflow ended as ${state} without a result: start it again` });
    // It stays among what is looked after until it has ended.
    const left = await ctx.db('jobs').where({ job_id: job.job_id }).whereNull('ended_at').first('kind');
    if (left) throw new Error(`the job ${job.job_id} (${left.kind}) did not end with its workflow`);
    return 'ended';
  };
}
