// What an agent says of its run becomes the job's events: each exactly once, whoever reads it, however often it is sent.
import type { Knex } from 'knex';
import { newsChannel } from '../../jobs/append-event.ts';
import { storableJson } from '../../storable.ts';
import { eventsForThread } from '../thread/hooks.ts';
import { type News, recordTogether, type Total } from './record-together.ts';

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
  /** Of the thread that is told; a run never changes it. */
  threadId: string | null;
}

/** Much more than people read of one run, and less than an agent could fill a disk with. */
export const RUN_LIMITS = { events: 100_000, bytes: 64 * 1024 * 1024 } as const;

export type Recorded = 'recorded' | 'overtaken' | 'over_limit';

/**
 * The events, the run's cursor, the sequences of its job and its thread and the wake-up of their readers: all of it or nothing. `ranMs` is
 * added to what the run has worked.
 */
export async function recordEvents(db: Knex, at: RecordPoint, events: readonly AgentRunEvent[], ranMs: number): Promise<Recorded> {
  const last = events.at(-1);
  if (!last) return 'recorded';
  const told = at.threadId === null ? [] : eventsForThread(at.runId, events);
  const news: News = {
    run_id: at.runId,
    attempt: at.attempt,
    was: at.cursor,
    becomes: last.seq,
    bytes: events.reduce((sum, event) => sum + event.size, 0),
    ran_ms: Math.round(ranMs),
    events: storableJson(events.map(({ kind, payload }) => ({ kind: `run.${kind}`, payload }))),
    told: storableJson(told),
  };
  // A batch that failed says nothing of one run's events: alone they are written, or say what is wrong with them.
  const total = (await recordTogether(db, news).catch(() => undefined)) ?? (await recordAlone(db, news, { count: events.length, toldCount: told.length }));
  if (!total) return 'overtaken';
  return total.count > RUN_LIMITS.events || total.bytes > RUN_LIMITS.bytes ? 'over_limit' : 'recorded';
}

/** Waits for whoever holds the rows. Undefined: the run has ended, or its record has moved on. */
async function recordAlone(db: Knex, news: News, counts: { count: number; toldCount: number }): Promise<Total | undefined> {
  const { rows } = await db.raw<{ rows: Total[] }>(
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
      runId: news.run_id,
      attempt: news.attempt,
      from: news.was,
      to: news.becomes,
      bytes: news.bytes,
      ranMs: news.ran_ms,
      items: news.events,
      told: news.told,
      ...counts,
    },
  );
  return rows[0];
}
