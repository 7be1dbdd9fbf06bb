// What a thread shows of waits. Written in the transaction of what it shows; without a thread, or with one
// that was deleted, nothing happens.
import type { Knex } from 'knex';
import type { WaitsRow } from '#db/tables.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { appendThreadEvent } from '../../threads/append.ts';
import { presentWaitCard } from './show.ts';

export async function appendWaitOpened(tx: Knex, row: WaitsRow): Promise<void> {
  if (row.thread_id !== null) await appendThreadEvent(tx, row.thread_id, 'wait.opened', { ...presentWaitCard(row) });
}

export async function appendWaitResolved(
  ctx: TxCtx,
  row: WaitsRow,
  how: { state: string; verdict?: string | undefined; reason?: string | undefined },
): Promise<void> {
  if (row.thread_id !== null) {
    await appendThreadEvent(ctx.db, row.thread_id, `wait.${how.state}`, {
      wait_id: row.wait_id,
      kind: row.kind,
      run_id: row.run_id,
      ...(how.verdict ? { verdict: how.verdict } : {}),
      ...(how.reason ? { reason: how.reason } : {}),
    });
  }
  // A question of a plan, not of a run: its answer lets the plan continue.
  if (row.run_id !== null || row.job_id === null) return;
  const job = await ctx.db('jobs').where({ job_id: row.job_id }).whereNull('ended_at').first('workflow_id');
  if (job?.workflow_id) await signalWorkflow(ctx, job.workflow_id, 'woken');
}
