// What a thread shows of runs: their output, their waits, their ends. Written in the transaction of what it shows; without a
// thread, or with one that was deleted, nothing happens.
import type { Fault } from '../../kernel/errors.ts';
import type { Knex } from 'knex';
import type { JobsRow, RunsRow, WaitsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { endTurnOfJob } from '../chat/end-turn.ts';
import { cardOf } from '../wait/show.ts';
import { appendThreadEvent, appendThreadEvents } from './append.ts';
import type { NewEvent } from '../../jobs/append-event.ts';

/** Longer results are read at the run. */
const maxResult = 65_536;

export async function appendRunStarted(
  tx: Knex,
  threadId: string | null,
  run: { run_id: string; job_id: string; agent: string; skill: string },
): Promise<void> {
  if (threadId !== null) await appendThreadEvent(tx, threadId, 'run.started', run);
}

export async function appendRunEvents(tx: Knex, row: Pick<RunsRow, 'run_id' | 'thread_id'>, events: readonly RunEvent[]): Promise<void> {
  if (row.thread_id !== null) await appendThreadEvents(tx, row.thread_id, eventsForThread(row.run_id, events));
}

interface RunEvent {
  kind: string;
  payload: Record<string, unknown>;
}

/** Left out: the thread has events of its own for them, or no reader needs them. */
const UNTOLD = new Set(['status', 'result', 'failed', 'question', 'scope_request', 'platform_wait', 'handoff', 'receipt']);
/** Kinds that the thread writes itself. Events of an agent with these names are left out: a reader would take them for the thread's. */
const OURS = new Set(['started', 'succeeded', 'cancelled']);

export function eventsForThread(runId: string, events: readonly RunEvent[]): NewEvent[] {
  return events
    .filter(({ kind }) => !UNTOLD.has(kind))
    .map(({ kind, payload }) => ({ kind: OURS.has(kind) ? `run.own.${kind}` : `run.${kind}`, payload: { ...payload, run_id: runId } }));
}

export interface EndedRun {
  state: 'succeeded' | 'failed' | 'cancelled';
  result?: unknown;
  error?: Fault | undefined;
  receipt_id: string;
}

export async function appendRunEnded(tx: Knex.Transaction, ctx: Ctx, row: RunsRow, job: JobsRow, end: EndedRun): Promise<void> {
  if (row.thread_id === null) return;
  const { run_id, agent_name: agent, skill } = row;
  await appendThreadEvent(tx, row.thread_id, `run.${end.state}`, {
    run_id,
    job_id: job.job_id,
    agent,
    skill,
    ...(end.state === 'succeeded' ? bounded(end.result) : {}),
    ...(end.error ? { error: end.error } : {}),
    receipt_id: end.receipt_id,
  });
  await endTurnOfJob(tx, ctx, row.thread_id, job.job_id, end);
}

function bounded(result: unknown): Record<string, unknown> {
  const size = JSON.stringify(result ?? null).length;
  return size > maxResult ? { result: null, result_length: size } : { result: result ?? null };
}

export async function appendWaitOpened(tx: Knex, row: WaitsRow): Promise<void> {
  if (row.thread_id !== null) await appendThreadEvent(tx, row.thread_id, 'wait.opened', { ...cardOf(row) });
}

export async function appendWaitResolved(
  tx: Knex.Transaction,
  ctx: Ctx,
  row: WaitsRow,
  how: { state: string; verdict?: string | undefined; reason?: string | undefined },
): Promise<void> {
  if (row.thread_id !== null) {
    await appendThreadEvent(tx, row.thread_id, `wait.${how.state}`, {
      wait_id: row.wait_id,
      kind: row.kind,
      run_id: row.run_id,
      ...(how.verdict ? { verdict: how.verdict } : {}),
      ...(how.reason ? { reason: how.reason } : {}),
    });
  }
  // A question of a plan, not of a run: its answer lets the plan continue.
  if (row.run_id !== null || row.job_id === null) return;
  const job = await tx('jobs').where({ job_id: row.job_id }).whereNull('ended_at').first('workflow_id');
  if (job?.workflow_id) await signalWorkflow(tx, ctx, job.workflow_id, 'woken');
}
