// The chain of calls that a run belongs to, from itself to the run that a user, or a durable run, began:
// while one of them waits for a person, all wait. A call ends with its caller, so a run that was started
// beside its caller has a chain of its own.
import type { Knex } from 'knex';
import type { RunsRow, WaitsRow } from '#db/tables.ts';
import { MAX_CALL_DEPTH } from '#contract/wire/limits.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { moveRun } from '../../kernel/run-state.ts';
import { jobOfRun, workflowOfRun } from '../../jobs/of-run.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { signalWorkflow } from '../../outbox/messages.ts';

export type ChainedRun = Pick<RunsRow, 'run_id' | 'agent_id' | 'agent_name' | 'skill' | 'user_id' | 'parent_run_id' | 'kind' | 'job_id' | 'adoptable'>;

/** The run itself first; all locked to the end of the transaction, in that order everywhere. */
export async function lockCallChain(tx: Knex.Transaction, runId: string): Promise<ChainedRun[]> {
  const chain: ChainedRun[] = [];
  for (let next: string | null = runId; next !== null && chain.length <= MAX_CALL_DEPTH;) {
    const row: ChainedRun | undefined = await tx('runs')
      .where({ run_id: next })
      .forUpdate()
      .first('run_id', 'agent_id', 'agent_name', 'skill', 'user_id', 'parent_run_id', 'kind', 'job_id', 'adoptable');
    if (row) chain.push(row);
    next = row?.kind === 'call' ? row.parent_run_id : null;
  }
  return chain;
}

/** With the chain held: one of it asks a person. */
export async function pauseCallChain(tx: Knex.Transaction, chain: readonly ChainedRun[]): Promise<void> {
  for (const { run_id } of chain) await moveRun(tx, run_id, 'waiting');
  const top = chain.at(-1);
  if (top) await pauseRunJob(tx, top.run_id);
}

/**
 * A wait of the run is over: each of its chain continues that waits for nothing more, and the workflow of the
 * first one reads its events again.
 */
export async function resumeCallChain(ctx: TxCtx, runId: string | null): Promise<void> {
  if (runId === null) return;
  const chain = await lockCallChain(ctx.db, runId);
  for (const { run_id } of chain) {
    const asks = ctx.db('waits').where({ run_id, state: 'pending' }).select(ctx.db.raw('1'));
    const calls = ctx.db('runs as c').where({ 'c.parent_run_id': run_id, 'c.kind': 'call', 'c.state': 'waiting' }).select(ctx.db.raw('1'));
    await moveRun(ctx.db, run_id, 'running', { where: { state: 'waiting' }, unless: ctx.db.select(ctx.db.raw('1')).whereExists(asks).orWhereExists(calls) });
  }
  await resumeRunJob(ctx, chain.at(-1)?.run_id ?? runId);
}

/** Open waits of the run and of all that it calls, oldest first. */
export function waitsBelow(db: Knex, runId: string): Promise<WaitsRow[]> {
  const below = db.raw(
    `with recursive below as (
       select ?::text as run_id union all select r.run_id from runs r join below b on b.run_id = r.parent_run_id where r.kind = 'call'
     ) select run_id from below`,
    [runId],
  );
  return db('waits').whereRaw('run_id in (?)', [below]).where({ state: 'pending' }).orderBy(['created_at', 'wait_id']);
}

/**
 * The job and the workflow of a durable run follow its waits. Other runs have neither, and nothing happens.
 * The run's row is in state waiting.
 */
async function pauseRunJob(tx: Knex.Transaction, runId: string): Promise<void> {
  const job = await jobOfRun(tx, runId);
  if (job) await transitionJob(tx, job.job_id, { from: ['queued', 'running'], to: 'waiting' });
}

/** One of its waits is resolved: its workflow reads the run's events again. */
async function resumeRunJob(ctx: TxCtx, runId: string | null): Promise<void> {
  const job = runId === null ? undefined : await jobOfRun(ctx.db, runId);
  if (!job || runId === null || job.ended_at !== null) return;
  const run = await ctx.db('runs').where({ run_id: runId }).first('state');
  if (run?.state === 'running') await transitionJob(ctx.db, job.job_id, { from: ['waiting'], to: 'running' });
  await signalWorkflow(ctx, workflowOfRun(runId), 'woken');
}
