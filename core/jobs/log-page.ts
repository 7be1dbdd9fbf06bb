// A log's next events and how far it has come, in one look; readers that look at the same time look together.
import type { Knex } from 'knex';
import { batch, memoizeByKey } from '../kernel/batch.ts';
import { LOGS } from './append-event.ts';

/** Rows of one look, for each reader. */
const page = 100;
/**
 * Together: what they may read at once is held in memory. Those who look from one point share what they find.
 */
const together = { maxConcurrent: 2, maxSize: 16, keyOf: ({ id, after }: Look) => `${id} ${after}` } as const;

interface LogEntry {
  seq: number;
  kind: string;
  payload: Record<string, unknown>;
  at: Date;
}

export interface LogPage {
  last_seq: number;
  /** Empty for a thread, which has no end. */
  state: string;
  /** Where events are: rows, or an archive; of a job. */
  events_state: string;
  /** After the point asked for, oldest first. */
  events: LogEntry[];
}

interface Look {
  id: string;
  after: number;
}

/** Undefined: there is no such log (any more). Not for transactions: others' readers look with it. */
export function nextOfJob(db: Knex, jobId: string, after: number): Promise<LogPage | undefined> {
  return jobs(db)({ id: jobId, after });
}

/** The same for a thread. */
export function nextOfThread(db: Knex, threadId: string, after: number): Promise<LogPage | undefined> {
  return threads(db)({ id: threadId, after });
}

const jobs = memoizeByKey((db: Knex) => batch((looks: readonly Look[]) => readPages(db, LOGS.job, 'state, events_state', looks), together));
const threads = memoizeByKey((db: Knex) =>
  batch((looks: readonly Look[]) => readPages(db, LOGS.thread, `'' as state, 'kept' as events_state`, looks), together),
);

interface Row extends Omit<LogPage, 'events'>, Omit<LogEntry, 'seq'> {
  n: number;
  /** Null: nothing is after that point. */
  seq: number | null;
}

async function readPages(
  db: Knex,
  { owners, events, key }: (typeof LOGS)[keyof typeof LOGS],
  columns: string,
  looks: readonly Look[],
): Promise<(LogPage | undefined)[]> {
  // One statement sees one moment: what `last_seq` counts is there, or in the archive.
  const { rows } = await db
    .raw<{ rows: Row[] }>(
      // One parameter for all looks: as arrays they would be planned again each time. The limit keeps the
      // owners' index in the plan.
      `select w.n, o.last_seq, o.state, o.events_state, e.seq, e.kind, e.payload, e.at
     from jsonb_to_recordset(?::jsonb) as w(n integer, id text, after integer)
     cross join lateral (select last_seq, ${columns} from ${owners} where ${key} = w.id limit 1) o
     left join lateral (
       select seq, kind, payload, at from ${events} where ${key} = w.id and seq > w.after order by seq limit ${page}
     ) e on true
     order by w.n, e.seq`,
      [JSON.stringify(looks.map(({ id, after }, index) => ({ n: index + 1, id, after })))],
    )
    // Planned once for each connection.
    .options({ name: `next_of_${owners}` });
  const pages: (LogPage | undefined)[] = looks.map(() => undefined);
  for (const { n, seq, kind, payload, at, ...head } of rows) {
    const one = (pages[n - 1] ??= { ...head, events: [] });
    if (seq !== null) one.events.push({ seq, kind, payload, at });
  }
  return pages;
}
