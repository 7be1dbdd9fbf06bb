// Events of many runs in one statement: one round trip, one flush to the disk, and one hold of the lock that
// notifications take until their commit is on the disk.
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
  /** The same for its thread; `[]` when it gets none. */
  thread_events: string;
}

/** What the run has recorded in all. */
export interface Total {
  count: number;
  bytes: number;
}

const together = {
  maxConcurrent: 2,
  maxSize: 100,
  maxWeight: 1024 * 1024,
  weigh: ({ events, thread_events }: News) => events.length + thread_events.length,
};

/**
 * Resolves undefined when nothing was written: the run's cursor is elsewhere, it has ended, or another
 * transaction holds its row, its job's or its thread's at this moment. This statement never waits for a row,
 * so that it neither holds up other runs nor takes part in a deadlock.
 */
export function recordTogether(db: Knex, news: News): Promise<Total | undefined> {
  return recorder(db)(news);
}

const recorder = memoizeByKey((db: Knex) => batch((batch: readonly News[]) => record(db, batch, 'skip'), together));

/** Waits for rows that are held. Undefined: the run has ended, or its cursor is elsewhere. */
export async function recordAlone(db: Knex, news: News): Promise<Total | undefined> {
  const [total] = await record(db, [news], 'wait');
  return total;
}

/** What to do about rows that another transaction holds. */
type Locking = 'skip' | 'wait';

async function record(db: Knex, batch: readonly News[], locking: Locking): Promise<(Total | undefined)[]> {
  // Two drivers of one run, an old one and its successor: one of them at a time.
  const each = new Map(batch.map((news) => [news.run_id, news]));
  const chosen = [...each.values()];
  // Without events for threads half of the statement is left out: its parts cost even where they do nothing.
  const forThreads = chosen.some(({ thread_events }) => thread_events !== '[]');
  const lock = locking === 'skip' ? 'for no key update skip locked' : 'for no key update';
  const { rows } = await db
    .raw<{ rows: (Total & { run_id: string })[] }>(forThreads ? recordRunsAndThreads(lock) : recordRuns(lock), [`[${chosen.map(asJson).join()}]`])
    // Planned once for each connection.
    .options({ name: `record_${forThreads ? 'runs_and_threads' : 'runs'}_${locking}` });
  const totals = new Map(rows.map(({ run_id, count, bytes }) => [run_id, { count, bytes }]));
  return batch.map((news) => (each.get(news.run_id) === news ? totals.get(news.run_id) : undefined));
}

/** What is JSON already is not read and written once more. */
function asJson({ events, thread_events, ...news }: News): string {
  return `{${JSON.stringify(news).slice(1, -1)},"events":${events},"thread_events":${thread_events}}`;
}

/** `news`, and `free`: those of them whose run and job can be locked and whose cursor is where they say. */
const lockRuns = (lock: string): string => `
  news as (
    -- One parameter for all: as arrays they would be planned anew each time.
    select *, json_array_length(events) as count, json_array_length(thread_events) as thread_count
    from json_to_recordset(?::json) as a(run_id text, attempt integer, was integer, becomes integer, bytes bigint, ran_ms bigint, events json,
      thread_events json)
    -- True of all. It makes the planner expect one row, and go by keys where it knows nothing of the tables yet; that plan is kept.
    where attempt between 1 and 2147483647
  ), free as materialized (
    select news.*, mine.job_id, mine.thread_id from news, lateral (
      select j.job_id, r.thread_id from runs r join jobs j on j.job_id = r.job_id
      -- Not "in" the open states: for that the index of all open runs would do, where nothing is known of the table yet.
      where r.run_id = news.run_id and r.attempt = news.attempt and r.event_cursor = news.was and r.state not in (${endedRunStates})
      ${lock.replace('update', 'update of r, j')}
    ) mine
  )`;

/** Moves the cursors of the runs in `held`, appends the events to their jobs and wakes the readers. */
const writeRuns = `
  moved as (
    update runs r set event_cursor = held.becomes, event_count = r.event_count + held.count, event_bytes = r.event_bytes + held.bytes,
      ran_ms = r.ran_ms + held.ran_ms
    from held where r.run_id = held.run_id
    returning r.run_id, r.event_count as count, r.event_bytes as bytes
  ), job_moved as (
    update jobs j set last_seq = j.last_seq + held.count from held where j.job_id = held.job_id
    returning j.job_id, j.last_seq - held.count as before, held.events
  ), job_written as (
    insert into job_events (job_id, seq, kind, payload)
    select job_moved.job_id, job_moved.before + e.n, e.item->>'kind', e.item->'payload'
    from job_moved, json_array_elements(job_moved.events) with ordinality as e(item, n)
  ), job_notified as (select pg_notify('${newsChannel}', job_id) from job_moved)`;

const recordRuns = (lock: string): string => `
  with ${lockRuns(lock)}, held as (select * from free), ${writeRuns}
  select run_id, count, bytes, (select count(*) from job_notified) from moved`;

const recordRunsAndThreads = (lock: string): string => `
  with ${lockRuns(lock)}, free_threads as materialized (
    select thread_id from threads where thread_id in (select thread_id from free where thread_count > 0) ${lock}
  ), held as materialized (
    -- Of two runs with events for one thread, the second is recorded separately. A deleted thread gets nothing.
    select distinct on (case when thread_count > 0 then coalesce(thread_id, run_id) else run_id end) * from free
    where thread_count = 0 or thread_id is null or thread_id in (select thread_id from free_threads)
      or not exists (select 1 from threads t where t.thread_id = free.thread_id)
  ), ${writeRuns}, thread_moved as (
    update threads t set last_seq = t.last_seq + held.thread_count from held where t.thread_id = held.thread_id and held.thread_count > 0
    returning t.thread_id, t.last_seq - held.thread_count as before, held.thread_events
  ), thread_written as (
    insert into thread_events (thread_id, seq, kind, payload)
    select thread_moved.thread_id, thread_moved.before + e.n, e.item->>'kind', e.item->'payload'
    from thread_moved, json_array_elements(thread_moved.thread_events) with ordinality as e(item, n)
  ), thread_notified as (select pg_notify('${newsChannel}', thread_id) from thread_moved)
  select run_id, count, bytes, (select count(*) from job_notified), (select count(*) from thread_notified) as threads from moved`;
