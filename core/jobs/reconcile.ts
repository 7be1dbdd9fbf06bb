// Compares open jobs with their workflows and ends or restarts what was lost (a workflow terminated by hand, a Temporal that
// came back empty). Slow on purpose: the outbox and Temporal itself cover everything ordinary.
import type { Fault } from '../kernel/errors.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { longAgo } from '../kernel/lease.ts';

/** Ends a job whose workflow is gone; one per kind of job. */
export type Abandon = (ctx: Ctx, job: { job_id: string; input: unknown }, fault: Fault) => Promise<void>;

/** A workflow this young may still be on its way. */
const graceSeconds = 60;
const batch = 200;

/** Resolves with the ids of the jobs it repaired. */
export async function reconcileJobs(ctx: Ctx, abandon: Readonly<Record<string, Abandon>>): Promise<string[]> {
  const open = await ctx
    .db('jobs as j')
    .join('outbox as o', (on) => on.on('o.workflow_id', 'j.workflow_id').andOnVal('o.kind', 'start'))
    .whereNull('j.ended_at')
    .whereRaw(longAgo('o.sent_at', graceSeconds))
    // By chance: when more are open than are looked at, each gets its turn.
    .orderByRaw('random()')
    .limit(batch)
    .select('j.job_id', 'j.kind', 'j.workflow_id', 'j.input', 'o.outbox_id');
  const repaired: string[] = [];
  for (const job of open) {
    const state = await ctx.drivers.workflows.describe(job.workflow_id);
    if (state === 'running') continue;
    if (state === 'absent') {
      // Temporal lost it: start again; its steps are guarded by the rows, so what was done is not done twice.
      await ctx
        .db('outbox')
        .where({ outbox_id: job.outbox_id })
        .update({ sent_at: null, due_at: ctx.db.raw('now()') });
    } else {
      const end = abandon[job.kind];
      if (!end) continue;
      await end(ctx, job, { code: 'workflow_lost', message: `The work's workflow ended as ${state} without a result: start it again` });
    }
    repaired.push(job.job_id);
  }
  return repaired;
}
