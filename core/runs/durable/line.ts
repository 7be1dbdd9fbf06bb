// The line of calls that a run stands in, from itself to the run that a person, or a durable run, began: while one of it waits for a person, all wait.
// A call ends with its caller, so a run that was started beside its caller has a line of its own.
import type { Knex } from 'knex';
import type { RunsRow, WaitsRow } from '#db/tables.ts';
import { MAX_CALL_DEPTH } from '#contract/wire/limits.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { moveRun } from '../../kernel/run-state.ts';
import { pauseRunJob, resumeRunJob } from './follow-waits.ts';

export type InLine = Pick<RunsRow, 'run_id' | 'agent_id' | 'agent_name' | 'skill' | 'user_id' | 'parent_run_id' | 'kind' | 'job_id' | 'adoptable'>;

/** The run itself first; all locked to the end of the transaction, in that order everywhere. */
export async function holdLine(tx: Knex.Transaction, runId: string): Promise<InLine[]> {
  const line: InLine[] = [];
  for (let next: string | null = runId; next !== null && line.length <= MAX_CALL_DEPTH;) {
    const row: InLine | undefined = await tx('runs')
      .where({ run_id: next })
      .forUpdate()
      .first('run_id', 'agent_id', 'agent_name', 'skill', 'user_id', 'parent_run_id', 'kind', 'job_id', 'adoptable');
    if (row) line.push(row);
    next = row?.kind === 'call' ? row.parent_run_id : null;
  }
  return line;
}

/** With the line held: one of it asks a person. */
export async function pauseLine(tx: Knex.Transaction, line: readonly InLine[]): Promise<void> {
  for (const { run_id } of line) await moveRun(tx, run_id, 'waiting');
  const top = line.at(-1);
  if (top) await pauseRunJob(tx, top.run_id);
}

/** A wait of the run is over: each of its line continues that waits for nothing more, and the workflow of the first one reads its events again. */
export async function resumeLine(tx: Knex.Transaction, ctx: Ctx, runId: string | null): Promise<void> {
  if (runId === null) return;
  const line = await holdLine(tx, runId);
  for (const { run_id } of line) {
    const asks = tx('waits').where({ run_id, state: 'pending' }).select(tx.raw('1'));
    const calls = tx('runs as c').where({ 'c.parent_run_id': run_id, 'c.kind': 'call', 'c.state': 'waiting' }).select(tx.raw('1'));
    await moveRun(tx, run_id, 'running', { where: { state: 'waiting' }, unless: tx.select(tx.raw('1')).whereExists(asks).orWhereExists(calls) });
  }
  await resumeRunJob(tx, ctx, line.at(-1)?.run_id ?? runId);
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
