// What a thread shows of durable runs: their output and their ends. Written in the transaction of what it
// shows; without a thread, or with one that was deleted, nothing happens.
import type { Fault } from '../../kernel/errors.ts';
import type { Knex } from 'knex';
import type { RunsRow } from '#db/tables.ts';
import { appendThreadEvent, appendThreadEvents } from '../../threads/append.ts';
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
const HIDDEN_KINDS = new Set(['status', 'result', 'failed', 'question', 'scope_request', 'platform_wait', 'handoff', 'receipt']);
/**
 * Kinds that the thread writes itself. Events of an agent with these names are left out: a reader would take
 * them for the thread's.
 */
const OURS = new Set(['started', 'succeeded', 'cancelled']);

export function eventsForThread(runId: string, events: readonly RunEvent[]): NewEvent[] {
  return events
    .filter(({ kind }) => !HIDDEN_KINDS.has(kind))
    .map(({ kind, payload }) => ({ kind: OURS.has(kind) ? `run.own.${kind}` : `run.${kind}`, payload: { ...payload, run_id: runId } }));
}

export interface EndedRun {
  state: 'succeeded' | 'failed' | 'cancelled';
  result?: unknown;
  error?: Fault | undefined;
  receipt_id: string;
}

export async function appendRunEnded(tx: Knex, row: RunsRow, jobId: string, end: EndedRun): Promise<void> {
  if (row.thread_id === null) return;
  const { run_id, agent_name: agent, skill } = row;
  await appendThreadEvent(tx, row.thread_id, `run.${end.state}`, {
    run_id,
    job_id: jobId,
    agent,
    skill,
    ...(end.state === 'succeeded' ? bounded(end.result) : {}),
    ...(end.error ? { error: end.error } : {}),
    receipt_id: end.receipt_id,
  });
}

function bounded(result: unknown): Record<string, unknown> {
  const size = JSON.stringify(result ?? null).length;
  return size > maxResult ? { result: null, result_length: size } : { result: result ?? null };
}
