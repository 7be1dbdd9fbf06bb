// Events of many runs in one statement: one round trip, one flush to the disk, one turn at the lock that notifications take until their commit
// is on the disk, for as many runs as had news meanwhile.
import type { Knex } from 'knex';
import { newsChannel } from '../../jobs/append-event.ts';
import { endedRunStates } from '../../kernel/run-state.ts';
import { batch, memoizeByKey } from '../../kernel/batch.ts';

/** What one run has to record. */
export interface News {
  run_id: string;
  attempt: number;
  /** The run's cursor before and after. */
  was: number;
  becomes: number;
  /** Characters as sent. */
  bytes: number;
  ran_ms: number;
  /** `[{"kind":…,"payload":…}]`, as they are stored. */
  events: string;
  /** The same for its thread; `[]` when it is told nothing. */
  told: string;
}

/** What the run has recorded in all. */
export interface Total {
  count: number;
  bytes: number;
}

const together = { maxConcurrent: 2, maxSize: 100, maxWeight: 1024 * 1024, weigh: ({ events, told }: News) => events.length + told.length };

/**
 * Resolves undefined when nothing was written: the run's cursor is elsewhere, it has ended, or somebody holds its row, its job's or its thread's
 * at this moment. This statement never waits for a row, so that it neither holds up other runs nor takes part in a deadlock.
 */
export function recordTogether(db: Knex, news: News): Promise<Total | undefined> {
  return recorder(db)(news);
}

const recorder = memoizeByKey((db: Knex) => batch((batch: readonly News[]) => record(db, batch, 'skip'), together));

/** Waits for whoever holds the rows. Undefined: the run has ended, or its record has moved on. */
export async function recordAlone(db: Knex, news: News): Promise<Total | undefined> {
  const [total] = await record(db, [news], 'wait');
  return total;
}

/** Of rows that somebody holds. */
type Locking = 'skip' | 'wait';

async function record(db: Knex, batch: readonly News[], locking: Locking): Promise<(Total | undefined)[]> {
  // Two drivers of one run, an old one and its successor: one of them at a time.
  const each = new Map(batch.map((news) => [news.run_id, news]));
  const chosen = [...each.values()];
  const told = chosen.some((news) => news.told !== '[]');
  const { rows } = await db
    .raw<{ rows: (Total & { run_id: string })[] }>(statement(told, locking), [`[${chosen.map(asJson).join()}]`])
    // Planned once for each connection.
    .options({ name: `record${told ? '_and_tell' : ''}_${locking}` });
  const totals = new Map(rows.map(({ run_id, count, bytes }) => [run_id, { count, bytes }]));
  return batch.map((news) => (each.get(news.run_id) === news ? totals.get(news.run_id) : undefined));
}

/** What is JSON already is not read and written once more. */
function asJson({ events, told, ...news }: News): string {
  return `{${JSON.stringify(news).slice(1, -1)},"events":${events},"told":${told}}`;
}

/** Without threads to be told half of it is left out: a plan costs by its parts, also by those that do nothing. */
function statement(told: boolean, locking: Locking): string {
  const skipLocked = locking === 'skip' ? 'skip locked' : '';
  // One alone waits for its thread as it writes to it, and goes on without one that is gone.
  const choose = told && locking === 'skip';
  const threads = {
    free: `, free_threads as materialized (
        select thread_id from threads where thread_id in (select thread_id from free where told_count > 0) for no key update skip locked
      )`,
    // Of two runs that tell one thread, the other is recorded alone.
    held: `select distinct on (case when told_count > 0 then coalesce(thread_id, run_id) else run_id end) * from free
        where told_count = 0 or thread_id is null or thread_id in (select thread_id from free_threads)`,
    tell: `, thread_taken as (
        update threads t set last_seq = t.last_seq + held.told_count from held where t.thread_id = held.thread_id and held.told_count > 0
        returning t.thread_id, t.last_seq - held.told_count as before, held.told
      ), thread_written as (
        insert into thread_events (thread_id, seq, kind, payload)
        select thread_taken.thread_id, thread_taken.before + e.n, e.item->>'kind', e.item->'payload'
        from thread_taken, jsonb_array_elements(thread_taken.told) with ordinality as e(item, n)
      ), thread_woken as (select pg_notify('${newsChannel}', thread_id) from thread_taken)`,
  };
  return `
    with news as (
      select *, jsonb_array_length(events) as count, jsonb_array_length(told) as told_count
      -- One parameter for all: as arrays they would be planned anew each time.
      from jsonb_to_recordset(?::jsonb) as a(run_id text, attempt integer, was integer, becomes integer, bytes bigint, ran_ms bigint, events jsonb,
        told jsonb)
      -- True of all. It makes the planner expect one row, and go by keys where it knows nothing of the tables yet; that plan is kept.
      where attempt between 1 and 2147483647
    ), free as materialized (
      select news.*, mine.job_id, mine.thread_id from news, lateral (
        select j.job_id, r.thread_id from runs r join jobs j on j.job_id = r.job_id
        -- Not "in" the open states: for that the index of all open runs would do, where nothing is known of the table yet.
        where r.run_id = news.run_id and r.attempt = news.attempt and r.event_cursor = news.was and r.state not in (${endedRunStates})
        for no key update of r, j ${skipLocked}
      ) mine
    )${choose ? threads.free : ''}, held as ${choose ? `materialized (${threads.held})` : '(select * from free)'}, mine as (
      update runs r set event_cursor = held.becomes, event_count = r.event_count + held.count, event_bytes = r.event_bytes + held.bytes,
        ran_ms = r.ran_ms + held.ran_ms
      from held where r.run_id = held.run_id
      returning r.run_id, r.event_count as count, r.event_bytes as bytes
    ), taken as (
      update jobs j set last_seq = j.last_seq + held.count from held where j.job_id = held.job_id
      returning j.job_id, j.last_seq - held.count as before, held.events
    ), written as (
      insert into job_events (job_id, seq, kind, payload)
      select taken.job_id, taken.before + e.n, e.item->>'kind', e.item->'payload'
      from taken, jsonb_array_elements(taken.events) with ordinality as e(item, n)
    ), woken as (select pg_notify('${newsChannel}', job_id) from taken)${told ? threads.tell : ''}
    select run_id, count, bytes, (select count(*) from woken)${told ? ', (select count(*) from thread_woken) as threads' : ''} from mine`;
}
