// Runs of calls that no process can end any more: their machine is gone, or their time is over and nothing
// ended them. Slow on purpose: ordinarily nothing is found.
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { isOpenRun, openRunStates } from '../../kernel/run-state.ts';
import { system } from '../../kernel/act.ts';
import { endRun, endRunWithoutReceipt } from '../run/end.ts';
import { factsOfRow } from '../run/facts.ts';
import { failed } from '../run/outcome.ts';

const BATCH = 100;
/** Beyond the run's own limit: the clock of that limit stands still while the run waits for a person. */
const MARGIN_SECONDS = 3600;
/** Where the run that called it has ended: its answer has no reader. */
const UNHEARD_SECONDS = 60;

/** Resolves with the ids of the runs it ended, as failed. */
export async function sweepRuns(ctx: Ctx): Promise<string[]> {
  const { rows } = await ctx.db.raw<{ rows: { run_id: string }[] }>(
    `select r.run_id from runs r join deployments d using (deploy_id)
     where r.state in (${openRunStates}) and r.kind = 'call'
     and (
       not exists (select 1 from instances i where i.deploy_id = r.deploy_id and i.state in ('starting', 'serving', 'draining'))
       or (
         not exists (select 1 from waits w where w.run_id = r.run_id and w.state = 'pending')
         -- It waits with a run that it calls.
         and not (r.state = 'waiting' and exists (select 1 from runs c where c.parent_run_id = r.run_id and c.kind = 'call' and c.state = 'waiting'))
         and greatest(r.started_at, (select max(w.resolved_at) from waits w where w.run_id = r.run_id
               or w.run_id in (select c.run_id from runs c where c.root_run_id = coalesce(r.root_run_id, r.run_id))))
             + make_interval(secs => coalesce((d.card#>>'{runtime,resources,max_runtime_seconds}')::int, 600)
               + case when exists (select 1 from runs p where p.run_id = r.parent_run_id and p.state not in (${openRunStates}))
                 then ${UNHEARD_SECONDS} else ${MARGIN_SECONDS} end) < :now
       )
     )
     order by r.started_at limit ${BATCH}`,
    { now: new Date(ctx.clock()).toISOString() },
  );
  for (const { run_id } of rows) await system(ctx, (ctx) => endLost(ctx, run_id));
  return rows.map(({ run_id }) => run_id);
}

async function endLost(ctx: TxCtx, runId: string): Promise<void> {
  const row = await ctx.db('runs').where({ run_id: runId }).forUpdate().first();
  if (!row || !isOpenRun(row)) return;
  // Arguments are hashed of calls between agents; a receipt without the hash would prove nothing.
  if (row.input_sha256 === null) await endRunWithoutReceipt(ctx, runId, 'failed');
  else await endRun(ctx, await factsOfRow(ctx.db, row), failed('call_lost'));
}
