// A review loop ends once: its scope is removed, then its row, its job and the last event are written
// together.
import { appendEvent } from '../../jobs/append-event.ts';
import { endJob, endStateOf } from '../../jobs/long-work.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { system } from '../../kernel/act.ts';
import { cancelWorkflow } from '../../outbox/messages.ts';
import { workflowOfRun } from '../../jobs/of-run.ts';
import { loopRows } from './find.ts';
import { loopScope, specOf } from './model.ts';
import { presentLoops } from './present.ts';
import { removeScope } from './scope.ts';

/** `fault`: why it did not come to its end. A budget or a deadline that is crossed, and a stop, kill it. */
export async function endLoop(ctx: Ctx, jobId: string, fault?: Fault): Promise<void> {
  const [loop] = await loopRows(ctx.db).where({ 'l.job_id': jobId });
  if (!loop || loop.ended_at !== null) return;
  const scope = loopScope(loop);
  // Whatever an operator has forbidden the owner meanwhile, what was put into their workspace goes.
  const owner: UserActor = { kind: 'user', user_id: loop.owner_id, email: '', operator: false, via: 'bearer' };
  if (scope) await removeScope({ ...ctx, actor: owner }, loop.owner_id, loop.agent_name, scope);
  const [shown] = await presentLoops(ctx.db, [loop]);
  const findings = shown?.findings ?? { critical: 0, warning: 0, info: 0 };
  await system(ctx, async (ctx) => {
    const ended = await ctx
      .db('review_loops')
      .where({ job_id: jobId })
      .whereNull('ended_at')
      .update({ ended_at: new Date(ctx.clock()), scope: null });
    if (ended === 0) return;
    await appendEvent(ctx.db, jobId, lastEvent(fault), { by: 'platform', findings, probes: shown?.probes, ...(fault && { reason: fault }) });
    await endJob(ctx.db, jobId, { output: { findings, spent_micros: shown?.spent_micros ?? 0 }, fault });
    const reviewer =
      loop.reviewer_run_id === null ? undefined : await ctx.db('runs').where({ run_id: loop.reviewer_run_id }).whereNull('ended_at').first('run_id');
    if (reviewer) await cancelWorkflow(ctx, workflowOfRun(reviewer.run_id));
    await audit(ctx, `review_loop.${endStateOf(fault)}`, { job: jobId }, { agent_id: loop.agent_id, ...findings, ...(fault && { code: fault.code }) });
  });
}

const KILLED = ['cancelled', 'review_budget_spent', 'review_deadline_passed'];

function lastEvent(fault: Fault | undefined): string {
  return fault === undefined ? 'loop_completed' : KILLED.includes(fault.code) ? 'loop_killed' : 'loop_failed';
}

export const deadlinePassed = (seconds: number): Fault => ({
  code: 'review_deadline_passed',
  message: `It did not finish within ${seconds} seconds: findings are kept`,
});

/** late: its deadline · cancelled: somebody stopped it · failed: its steps failed again and again. */
export type LoopEnd = 'late' | 'cancelled' | 'failed';

/** As its workflow ends it. */
export async function endReviewLoop(ctx: Ctx, jobId: string, how: LoopEnd): Promise<void> {
  const loop = await ctx.db('review_loops').where({ job_id: jobId }).first('spec');
  if (!loop) return;
  const faults: Record<LoopEnd, Fault> = {
    late: deadlinePassed(specOf(loop).deadline_seconds),
    cancelled: { code: 'cancelled', message: 'It was stopped: what was found until then is kept' },
    failed: { code: 'review_loop_failed', message: 'Its steps failed again and again: the log of the worker says why; what was found is kept' },
  };
  await endLoop(ctx, jobId, faults[how]);
}
