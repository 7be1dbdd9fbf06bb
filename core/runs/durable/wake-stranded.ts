// Durable runs that wait and whose machine is gone: their workflow is woken and ends them, so that their
// users are no longer asked.
import type { Ctx } from '../../kernel/ctx.ts';
import { system } from '../../kernel/act.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { workflowOfRun } from '../../jobs/of-run.ts';

const BATCH = 100;

/** Resolves with the ids of the runs whose workflow it woke. */
export async function wakeStrandedRuns(ctx: Ctx): Promise<string[]> {
  const rows = await ctx
    .db('runs')
    .where({ state: 'waiting' })
    .whereNot({ kind: 'call' })
    .whereNotExists(
      ctx.db('instances').whereRaw('instances.deploy_id = runs.deploy_id').whereIn('state', ['starting', 'serving', 'draining']).select(ctx.db.raw('1')),
    )
    .orderBy('started_at')
    .limit(BATCH)
    .select('run_id');
  for (const { run_id } of rows) await system(ctx, (ctx) => signalWorkflow(ctx, workflowOfRun(run_id), 'woken'));
  return rows.map(({ run_id }) => run_id);
}
