// The one writer of thread events.
import type { Knex } from 'knex';
import { newsChannel } from '../../jobs/append-event.ts';
import { storable } from '../../storable.ts';

export interface NewThreadEvent {
  kind: string;
  payload: Record<string, unknown>;
}

/**
 * Appends one event and wakes the thread's readers on commit; gap-free, as a job's events are. Resolves with its sequence number;
 * undefined when the thread is gone (deleted while something went on in it): then there is nobody to tell.
 */
export async function appendThreadEvent(db: Knex, threadId: string, kind: string, payload: Record<string, unknown>): Promise<number | undefined> {
  return appendThreadEvents(db, threadId, [{ kind, payload }]);
}

/** The same for several at once: one statement, one wake-up. Resolves with the last sequence number. */
export async function appendThreadEvents(db: Knex, threadId: string, events: readonly NewThreadEvent[]): Promise<number | undefined> {
  if (events.length === 0) return undefined;
  const { rows } = await db.raw<{ rows: { last_seq: number }[] }>(
    `with taken as (
       update threads set last_seq = last_seq + :count where thread_id = :threadId returning last_seq
     ), written as (
       insert into thread_events (thread_id, seq, kind, payload)
       select :threadId, taken.last_seq - :count + e.n, e.item->>'kind', e.item->'payload'
       from taken, jsonb_array_elements(:events::jsonb) with ordinality as e(item, n)
       returning seq
     )
     select last_seq, pg_notify('${newsChannel}', :threadId) from taken`,
    { count: events.length, threadId, events: JSON.stringify(storable(events)) },
  );
  return rows[0]?.last_seq;
}
