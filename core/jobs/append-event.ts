// The one writer of job events.
import type { Knex } from 'knex';
import { storable } from '../kernel/storable.ts';

/**
 * NOTIFY channel that wakes readers of a log; the payload is the id of the job or thread that has news, and
 * nothing else.
 */
export const newsChannel = 'svc_news';

/**
 * Appends one event and wakes the job's readers on commit. The sequence number comes from the job's own row
 * in the same transaction: no gap after a rollback, no double under concurrency. Resolves with it; undefined
 * when there is no such job, or when it had ended before this transaction: its readers have gone with its
 * last event.
 */
export async function appendEvent(db: Knex, jobId: string, kind: string, payload: Record<string, unknown>): Promise<number | undefined> {
  return appendEvents(db, jobId, [{ kind, payload }]);
}

/**
 * The same for several at once (log lines): one statement, one wake-up. Resolves with the last sequence
 * number.
 */
export async function appendEvents(db: Knex, jobId: string, events: readonly NewEvent[]): Promise<number | undefined> {
  return appendToLog(db, LOGS.job, jobId, events);
}

export interface NewEvent {
  kind: string;
  payload: Record<string, unknown>;
}

/** Tables of a log, and which of its owners still take events; all of it is our own text. */
export const LOGS = {
  job: { owners: 'jobs', events: 'job_events', key: 'job_id', takes: 'ended_at is null or ended_at = now()' },
  thread: { owners: 'threads', events: 'thread_events', key: 'thread_id', takes: 'true' },
} as const;

/**
 * One statement takes the numbers from the owner's row, writes the events and wakes the readers. Undefined:
 * the owner takes none, or does not exist.
 */
export async function appendToLog(
  db: Knex,
  { owners, events: log, key, takes }: (typeof LOGS)[keyof typeof LOGS],
  id: string,
  events: readonly NewEvent[],
): Promise<number | undefined> {
  if (events.length === 0) return undefined;
  const { rows } = await db.raw<{ rows: { last_seq: number }[] }>(
    `with taken as (
       update ${owners} set last_seq = last_seq + :count where ${key} = :id and (${takes}) returning last_seq
     ), written as (
       insert into ${log} (${key}, seq, kind, payload)
       select :id, taken.last_seq - :count + e.n, e.item->>'kind', e.item->'payload'
       from taken, json_array_elements(:events::json) with ordinality as e(item, n)
       returning seq
     )
     select last_seq, pg_notify('${newsChannel}', :id) from taken`,
    { count: events.length, id, events: JSON.stringify(storable(events)) },
  );
  return rows[0]?.last_seq;
}
