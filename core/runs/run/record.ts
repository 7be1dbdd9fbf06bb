// What an agent says of its run becomes the job's events: each exactly once, whoever reads it, however often it is sent.
import type { Knex } from 'knex';
import { newsChannel } from '../../jobs/append-event.ts';
import { storable } from '../../storable.ts';
import { eventsForThread } from '../thread/hooks.ts';

/** One event of an agent's stream, checked. */
export interface AgentRunEvent {
  /** From 1 in each attempt, without gaps. */
  seq: number;
  kind: string;
  payload: Record<string, unknown>;
  /** Characters as sent. */
  size: number;
}

/** How far the reader believes the record to be; what has moved on since is left alone. */
export interface RecordPoint {
  runId: string;
  attempt: number;
  cursor: number;
}

/** Much more than people read of one run, and less than an agent could fill a disk with. */
export const RUN_LIMITS = { events: 100_000, bytes: 64 * 1024 * 1024 } as const;

export type Recorded = 'recorded' | 'overtaken' | 'over_limit';

/** One statement: the events, the run's cursor, the sequences of its job and its thread, the wake-up of their readers. `ranMs` is added to what the run has worked. */
export async function recordEvents(db: Knex, at: RecordPoint, events: readonly AgentRunEvent[], ranMs: number): Promise<Recorded> {
  const last = events.at(-1);
  if (!last) return 'recorded';
  const bytes = events.reduce((sum, event) => sum + event.size, 0);
  const items = events.map(({ kind, payload }) => ({ kind: `run.${kind}`, payload }));
  const told = eventsForThread(at.runId, events);
  const { rows } = await db.raw<{ rows: { count: number; bytes: number }[] }>(
    `with mine as (
       update runs set event_cursor = :to, event_count = event_count + :count, event_bytes = event_bytes + :bytes, ran_ms = ran_ms + :ranMs
       where run_id = :runId and attempt = :attempt and event_cursor = :from and ended_at is null
       returning job_id, thread_id, event_count, event_bytes
     ), taken as (
       update jobs j set last_seq = j.last_seq + :count from mine where j.job_id = mine.job_id returning j.job_id, j.last_seq
     ), written as (
       insert into job_events (job_id, seq, kind, payload)
       select taken.job_id, taken.last_seq - :count + e.n, e.item->>'kind', e.item->'payload'
       from taken, jsonb_array_elements(:items::jsonb) with ordinality as e(item, n)
     ), woken as (select pg_notify('${newsChannel}', job_id) from taken
     ), thread_taken as (
       update threads t set last_seq = t.last_seq + :toldCount from mine where t.thread_id = mine.thread_id and :toldCount > 0 returning t.thread_id, t.last_seq
     ), thread_written as (
       insert into thread_events (thread_id, seq, kind, payload)
       select thread_taken.thread_id, thread_taken.last_seq - :toldCount + e.n, e.item->>'kind', e.item->'payload'
       from thread_taken, jsonb_array_elements(:told::jsonb) with ordinality as e(item, n)
     ), thread_woken as (select pg_notify('${newsChannel}', thread_id) from thread_taken)
     select event_count as count, event_bytes as bytes, (select count(*) from woken), (select count(*) from thread_woken) as threads from mine`,
    {
      runId: at.runId,
      attempt: at.attempt,
      from: at.cursor,
      to: last.seq,
      count: events.length,
      bytes,
      ranMs: Math.round(ranMs),
      items: JSON.stringify(storable(items)),
      toldCount: told.length,
      told: JSON.stringify(storable(told)),
    },
  );
  const [row] = rows;
  if (!row) return 'overtaken';
  return row.count > RUN_LIMITS.events || row.bytes > RUN_LIMITS.bytes ? 'over_limit' : 'recorded';
}
