// Runs whose call path died before it could end them, and those whose machine is gone. Slow on purpose: ordinarily nothing is found.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { endRun } from './end.ts';
import { failure } from './outcome.ts';
import { workflowOfRun } from './model.ts';
import { sealRun } from './seal-row.ts';

const batch = 100;
/** Beyond the run's own limit: the clock of that limit stands still while the run waits for a person. */
const marginSeconds = 3600;
/** Where the run that called it has ended: nobody listens. */
const unheardSeconds = 60;
/** What its receipt says: the way between caller and agent broke, and how the skill ended nobody heard. */
const LOST = failure('call_lost', 'The call was lost on its way: how it ended nobody heard');

/** Resolves with the ids of the runs it ended, as failed. */
export async function sweepRuns(ctx: Ctx): Promise<string[]> {
  const { rows } = await ctx.db.raw<{ rows: { run_id: string }[] }>(
    `select r.run_id from runs r join deployments d using (deploy_id)
     where r.ended_at is null
     -- Its workflow ends it.
     and not exists (select 1 from jobs j where j.workflow_id = 'run:' || r.run_id)
     and (
       not exists (select 1 from instances i where i.deploy_id = r.deploy_id and i.state in ('starting', 'serving', 'draining'))
       or (
         not exists (select 1 from waits w where w.run_id = r.run_id and w.state = 'pending')
         and greatest(r.started_at, (select max(w.resolved_at) from waits w where w.run_id = r.run_id))
             + make_interval(secs => coalesce((d.card#>>'{runtime,resources,max_runtime_seconds}')::int, 600)
               + case when exists (select 1 from runs p where p.run_id = r.parent_run_id and p.ended_at is not null) then ${unheardSeconds} else ${marginSeconds} end) < :now
       )
     )
     order by r.started_at limit ${batch}`,
    { now: new Date(ctx.clock()).toISOString() },
  );
  for (const { run_id } of rows) await inTx(ctx, (tx, inner) => endLost(tx, inner, run_id));
  await wakeLost(ctx);
  return rows.map(({ run_id }) => run_id);
}

async function endLost(tx: Knex.Transaction, ctx: Ctx, runId: string): Promise<void> {
  const row = await tx('runs').where({ run_id: runId }).forUpdate().first();
  if (!row || row.ended_at !== null) return;
  // What it was called with is known of calls between agents; a receipt without that would say nothing.
  if (row.input_sha256 === null) await endRun(tx, ctx, runId, 'failed');
  else await sealRun(tx, ctx, row, LOST);
}

/** Durable runs that wait, and whose machine is gone: their workflow looks, finds that, and ends them, so that nobody is asked in vain. */
async function wakeLost(ctx: Ctx): Promise<void> {
  const { rows } = await ctx.db.raw<{ rows: { run_id: string }[] }>(
    `select r.run_id from runs r join jobs j on j.workflow_id = 'run:' || r.run_id
     where r.ended_at is null and j.ended_at is null and r.state = 'waiting'
       and not exists (select 1 from instances i where i.deploy_id = r.deploy_id and i.state in ('starting', 'serving', 'draining'))
     order by r.started_at limit ${batch}`,
  );
  for (const { run_id } of rows) await inTx(ctx, (tx, inner) => signalWorkflow(tx, inner, workflowOfRun(run_id), 'woken'));
}
