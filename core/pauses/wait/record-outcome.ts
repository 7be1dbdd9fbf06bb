// Records the outcome of a wait and resumes its run: a person's by settleByPerson, its workflow's by
// recordWaitOutcome, perhaps more than once. The first counts.
import type { Knex } from 'knex';
import type { WaitsRow } from '#db/tables.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { afterCommit } from '../../kernel/after-commit.ts';
import { sendAfter, signalWorkflow } from '../../outbox/messages.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { system } from '../../kernel/act.ts';
import { lockCallChain, resumeCallChain } from './call-chain.ts';
import { appendWaitResolved } from './show-in-thread.ts';
import { grantScopeRequest } from './grant-request.ts';
import { writeWaitOutcome, type Decided } from './write-outcome.ts';
import { type WaitWithRun, lockWait } from './hold.ts';
import { deliverAtOnce } from './deliver.ts';
import { argumentsSha256, type Resolution, type WaitOutcome, workflowOf } from './model.ts';

/** Resolves with whether the skill has to be notified. Of a wait that is resolved already nothing changes. */
export async function recordWaitOutcome(ctx: Ctx, waitId: string, outcome: WaitOutcome): Promise<{ tell: boolean }> {
  // These are ends by time or by the run, and decisions that an older engine took.
  return system(ctx, async (ctx) => {
    const wait = await lockWait(ctx.db, waitId);
    if (!wait) return { tell: false };
    await lockCallersJob(ctx.db, wait);
    if (wait.row.state === 'pending') await write(ctx, wait.row, outcome);
    const state = wait.row.state === 'pending' ? outcome.decision : wait.row.state;
    return { tell: state !== 'cancelled' && awaitsDelivery(wait) };
  });
}

/**
 * Within a transaction that holds the wait, which is pending. Once it has committed, the skill is told at
 * once where that is possible; then the wait's workflow hears of it, and delivers what did not get through.
 */
export async function resolveByPerson(ctx: TxCtx, held: WaitWithRun, resolution: Resolution): Promise<WaitsRow> {
  const { wait_id } = held.row;
  await lockCallersJob(ctx.db, held);
  const delivered = Promise.withResolvers<void>();
  afterCommit(ctx.db, (db) => void deliverAtOnce({ ...ctx, db }, wait_id).then(() => delivered.resolve()));
  // A machine that has just woken does one thing at a time: the answer comes before the reader of its events.
  sendAfter(ctx.db, delivered.promise);
  const row = await write(ctx, held.row, resolution);
  await signalWorkflow(ctx, workflowOf(wait_id), 'voted');
  return row;
}

/**
 * Within a transaction that holds the wait, which is pending: by the votes of several, or at the deadline of
 * their rule. `facts`: for the audit log.
 */
export async function resolveLockedWait(ctx: TxCtx, held: WaitWithRun, outcome: WaitOutcome, facts: Record<string, unknown>): Promise<void> {
  await lockCallersJob(ctx.db, held);
  await write(ctx, held.row, outcome, facts);
}

/** Whether the skill still waits for what came of it. */
export function awaitsDelivery({ row, run }: WaitWithRun): boolean {
  return row.delivered_at === null && run !== null && isOpenRun(run);
}

/**
 * A call's waits are told in the job of the run that began its line, which could end with the answer before
 * this is written.
 */
async function lockCallersJob(tx: Knex.Transaction, { row, run }: WaitWithRun): Promise<void> {
  if (run?.kind !== 'call' || row.run_id === null || row.job_id === null) return;
  // Runs before jobs, as everywhere.
  await lockCallChain(tx, row.run_id);
  await tx('jobs').where({ job_id: row.job_id }).forUpdate().first('job_id');
}

async function write(ctx: TxCtx, row: WaitsRow, outcome: WaitOutcome, facts: Record<string, unknown> = {}): Promise<WaitsRow> {
  const { state, resolution } = await decided(ctx, row, outcome);
  const by = 'by' in outcome ? outcome.by : null;
  const written = await writeWaitOutcome(ctx, row, { state, resolution }, { person: by, facts: { by, ...facts } });
  await resumeCallChain(ctx, row.run_id);
  const answered = by !== null && row.asked_kind !== 'caller' ? { by } : {};
  if (row.job_id !== null) await appendEvent(ctx.db, row.job_id, `wait.${state}`, { wait_id: row.wait_id, kind: row.kind, ...answered, ...facts });
  await appendWaitResolved(ctx, row, { state, reason: resolution.reason, ...verdictIn(row, resolution.answer) });
  return written;
}

/** Where a framework asked for an approval by a form: what its answer means to people. */
function verdictIn(row: WaitsRow, answer: unknown): { verdict?: 'approved' | 'denied'; reason?: string } {
  if (argumentsSha256(row) === null || typeof answer !== 'object' || answer === null) return {};
  const { approved, reason } = answer as { approved?: unknown; reason?: unknown };
  if (typeof approved !== 'boolean') return {};
  return { verdict: approved ? 'approved' : 'denied', ...(typeof reason === 'string' && reason !== '' && { reason }) };
}

async function decided(ctx: TxCtx, row: WaitsRow, outcome: WaitOutcome): Promise<Decided> {
  switch (outcome.decision) {
    case 'answered':
      return { state: 'answered', resolution: { answer: outcome.answer, request_id: outcome.request_id } };
    case 'denied':
      return { state: 'denied', resolution: { reason: outcome.reason ?? '', request_id: outcome.request_id } };
    case 'approved':
      return row.kind === 'scope_request'
        ? byRequest(await grantScopeRequest(ctx, row), outcome.request_id)
        : byRequest({ state: 'approved', resolution: {} }, outcome.request_id);
    case 'expired':
    case 'cancelled':
      return { state: outcome.decision, resolution: {} };
  }
}

function byRequest({ state, resolution }: Decided, request_id: string): Decided {
  return { state, resolution: { ...resolution, request_id, ...(state !== 'approved' && { decision: 'approved' }) } };
}
