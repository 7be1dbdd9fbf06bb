// The row of a run is made by the first thing it does beyond computing.
import { audit } from './audit.ts';
import type { Ctx, RunActor, TxCtx } from './ctx.ts';
import { Forbidden } from './errors.ts';
import { isOpenRun } from './run-state.ts';
import { traceColumns } from './trace.ts';

/** For verbs that only a run may call; the API checked the scope. */
export function requireRun(ctx: Ctx): RunActor {
  if (ctx.actor.kind === 'run') return ctx.actor;
  throw new Forbidden('run_required', 'Only a running skill may ask for this, with its run credential');
}

/**
 * Makes the run's row unless it is there, and holds it against its end until the transaction is over: what is
 * written with it is seen by what ends the run. Ask for `update` to change the row as well: two holders of a
 * share would wait for each other. @throws Forbidden run_ended
 */
export async function ensureRun(
  ctx: TxCtx,
  called: { grant_id?: string | null; input_sha256?: string } = {},
  lock: 'share' | 'update' = 'share',
): Promise<RunActor> {
  const run = requireRun(ctx);
  const made = await ctx
    .db('runs')
    .insert({
      run_id: run.run_id,
      agent_id: run.agent_id,
      agent_name: run.agent_name,
      deploy_id: run.deploy_id,
      skill: run.skill,
      user_id: run.user_id,
      caller_kind: run.caller.kind,
      caller_id: run.caller.id,
      parent_run_id: run.parent_run_id,
      root_run_id: run.root_run_id ?? null,
      ...(run.adoptable && { adoptable: true, ...run.adoptable }),
      ...called,
      depth: run.chain.length,
      job_id: run.job_id,
      thread_id: run.thread_id,
      started_at: new Date(run.started_at).toISOString(),
      ...traceColumns(run),
      trace_state: run.trace?.state ?? null,
    })
    .onConflict('run_id')
    .ignore()
    .returning('run_id');
  if (made.length > 0) {
    if (await ctx.db('receipts').where({ run_id: run.run_id }).first('receipt_id')) throw runEnded();
    await audit(ctx, 'run.open', { run: run.run_id }, { agent: run.agent_name, skill: run.skill, user_id: run.user_id });
    return run;
  }
  const known = ctx.db('runs').where({ run_id: run.run_id }).first('state');
  const row = await (lock === 'share' ? known.forShare() : known.forUpdate());
  if (!row || !isOpenRun(row)) throw runEnded();
  return run;
}

function runEnded(): Forbidden {
  return new Forbidden('run_ended', 'This run has ended, and its permissions with it');
}
