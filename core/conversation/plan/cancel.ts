// Cancels a plan: steps that have not started never do, running ones are cancelled, questions are withdrawn.
// It ends when all steps have.
import type { Fault } from '../../kernel/errors.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { cancelWorkflow, signalWorkflow } from '../../outbox/messages.ts';
import { storableJson } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { workflowOf } from '../../pauses/wait/model.ts';
import { endPlan } from './end.ts';

const CANCELLED: Fault = { code: 'cancelled', message: 'The plan was cancelled' };

/** False while a step is still ending; with `anyway` the plan ends at once. */
export async function cancelPlan(ctx: Ctx, dagRunId: string, anyway = false): Promise<boolean> {
  return stopPlan(ctx, dagRunId, { state: 'cancelled', error: CANCELLED }, anyway);
}

/** A plan whose workflow ended without a result, for example because an operator terminated it. */
export async function abandonPlan(ctx: Ctx, _jobId: string, fault: Fault, input: unknown): Promise<void> {
  const id = typeof input === 'object' && input !== null && 'dag_run_id' in input ? input.dag_run_id : undefined;
  if (typeof id === 'string') await stopPlan(ctx, id, { state: 'failed', error: { code: fault.code, message: fault.message } }, true);
}

async function stopPlan(ctx: Ctx, dagRunId: string, end: { state: 'failed' | 'cancelled'; error: Fault }, anyway: boolean): Promise<boolean> {
  return system(ctx, async (ctx) => {
    const plan = await ctx.db('dag_runs').where({ dag_run_id: dagRunId }).forUpdate().first();
    const job = plan && (await ctx.db('jobs').where({ job_id: plan.job_id }).forUpdate().first('ended_at'));
    if (!plan || !job || job.ended_at !== null) return true;
    const nodes = await ctx.db('dag_nodes').where({ dag_run_id: dagRunId }).orderBy('number');
    for (const { wait_id } of nodes.filter(({ state }) => state === 'asking')) {
      if (wait_id !== null) await signalWorkflow(ctx, workflowOf(wait_id), 'withdraw');
    }
    const open = await ctx
      .db('jobs')
      .whereIn(
        'job_id',
        nodes.flatMap(({ state, job_id }) => (state === 'running' && job_id !== null ? [job_id] : [])),
      )
      .whereNull('ended_at')
      .select('job_id', 'workflow_id');
    for (const { job_id, workflow_id } of open) {
      const cancelRequest = await ctx.db('job_events').where({ job_id, kind: 'job.cancel_requested' }).first('seq');
      if (!cancelRequest) await appendEvent(ctx.db, job_id, 'job.cancel_requested', { by: 'plan' });
      if (!cancelRequest && workflow_id !== null) await cancelWorkflow(ctx, workflow_id);
    }
    const ended = ctx.db.raw('now()');
    await ctx
      .db('dag_nodes')
      .where({ dag_run_id: dagRunId })
      .whereIn('state', ['pending', 'asking'])
      .update({ state: 'cancelled', error: storableJson(end.error), ended_at: ended });
    if (open.length > 0 && !anyway) return false;
    const running = await ctx
      .db('dag_nodes as n')
      .join('jobs as j', 'j.job_id', 'n.job_id')
      .where({ 'n.dag_run_id': dagRunId, 'n.state': 'running' })
      .select('n.number', 'j.state');
    for (const { number, state } of running) {
      await ctx
        .db('dag_nodes')
        .where({ dag_run_id: dagRunId, number })
        .update({ state: state === 'succeeded' || state === 'failed' ? state : 'cancelled', ended_at: ended });
    }
    await endPlan(ctx, plan, end);
    return true;
  });
}
