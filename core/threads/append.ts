// The one writer of thread events.
import type { Knex } from 'knex';
import { appendToLog, LOGS, type NewEvent } from '../jobs/append-event.ts';

/**
 * Appends one event and wakes the thread's readers on commit; gap-free, as a job's events are. Resolves with
 * its sequence number; undefined when the thread was deleted meanwhile.
 */
export async function appendThreadEvent(db: Knex, threadId: string, kind: string, payload: Record<string, unknown>): Promise<number | undefined> {
  return appendThreadEvents(db, threadId, [{ kind, payload }]);
}

/** The same for several at once: one statement, one wake-up. Resolves with the last sequence number. */
export async function appendThreadEvents(db: Knex, threadId: string, events: readonly NewEvent[]): Promise<number | undefined> {
  return appendToLog(db, LOGS.thread, threadId, events);
}
