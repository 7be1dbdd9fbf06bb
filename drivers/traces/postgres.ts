// The default: a table partitioned by the day a span was taken, so that old days go at once. Partitions are
// made ahead by `retain`.
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { SpanBuffer, type SpanBufferOptions } from './buffer.ts';
import type { SpanEvent, StoredSpan, TraceStore } from './port.ts';

export interface PostgresTracesOptions extends Pick<SpanBufferOptions, 'room' | 'everyMs'> {
  log?: Pick<Logger, 'warn'> | undefined;
}

const COLUMNS =
  'run_id text, trace_id text, span_id text, parent_id text, owner_id text, agent_name text, source text, name text, kind text, start_ns bigint, end_ns bigint, status text, message text, attributes jsonb, events jsonb';
const NAMES = COLUMNS.split(', ').map((column) => column.split(' ', 1)[0]).join(', '); // prettier-ignore
const DAY_MS = 86_400_000;
const DAYS_AHEAD = 3;
const PARTITION = /^spans_(\d{4})_(\d{2})_(\d{2})$/;

export function postgresTraces(db: Knex, { log, ...bounds }: PostgresTracesOptions = {}): TraceStore {
  const buffer = new SpanBuffer({
    ...bounds,
    write: (spans) => write(db, spans),
    onLost: (spans, error) => log?.warn({ spans, ...(error instanceof Error ? { err: error } : { why: error }) }, 'spans of traces are lost'),
  });
  return {
    add: (spans) => buffer.add(spans),
    flush: () => buffer.flush(),
    ofRuns: (runIds, of) => read(db, runIds, of),
    retain: (now, days, kept = []) => retain(db, now, days, kept),
    lost: () => buffer.lost,
    close: () => buffer.flush(),
  };
}

/**
 * Without waiting for the disk: a crash of the database loses spans of its last second, as a full buffer
 * would.
 */
async function write(db: Knex, spans: readonly StoredSpan[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.raw('set local synchronous_commit = off');
    await tx.raw(`insert into spans (kept_at, ${NAMES}) select now(), ${NAMES} from jsonb_to_recordset(?::jsonb) as s(${COLUMNS})`, [JSON.stringify(spans)]);
  });
}

/**
 * Of each run as many as of the others, before more of any: one that says too much leaves room for what the
 * others say.
 */
async function read(db: Knex, runIds: readonly string[], { since, limit }: { since: Date; limit: number }): Promise<StoredSpan[]> {
  const numbered = `(
       select *, row_number() over (partition by run_id order by start_ns, span_id) as nth from spans where run_id = any(:runIds) and kept_at >= :since
     ) numbered order by nth, start_ns, span_id`;
  // Numbering ten thousand spans of one run would take as long as reading them.
  const fromClause = runIds.length > 1 ? numbered : `spans where run_id = any(:runIds) and kept_at >= :since order by start_ns, span_id`;
  const { rows } = await db.raw<{ rows: (Omit<StoredSpan, 'attributes' | 'events'> & { attributes: unknown; events: unknown })[] }>(
    `select ${NAMES.replace('start_ns, end_ns', 'start_ns::text, end_ns::text')} from (select * from ${fromClause} limit :limit) found order by found.start_ns, found.span_id`,
    { runIds: [...runIds], since: since.toISOString(), limit },
  );
  // An exporter that heard no answer sends its spans again.
  const once = new Map(rows.map((row) => [`${row.run_id} ${row.span_id}`, row]));
  return [...once.values()].map((row) => ({ ...row, attributes: asAttributes(row.attributes), events: asEvents(row.events) }));
}

async function retain(db: Knex, now: Date, days: number, kept: readonly string[]): Promise<void> {
  const today = Math.floor(now.getTime() / DAY_MS);
  for (let day = today; day <= today + DAYS_AHEAD; day += 1) await makePartition(db, day);
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'spans'::regclass`,
  );
  for (const { name } of rows) {
    const [, year, month, date] = PARTITION.exec(name) ?? [];
    if (year === undefined) continue;
    if (Date.UTC(Number(year), Number(month) - 1, Number(date)) / DAY_MS < today - days) await forget(db, name, kept);
  }
  await db.raw(`delete from only span_days.spans_default where kept_at < ? and owner_id <> all (?)`, [
    new Date((today - days) * DAY_MS).toISOString(),
    [...kept],
  ]);
}

/** A day goes at once, or row by row where some of it is kept. */
async function forget(db: Knex, partition: string, kept: readonly string[]): Promise<void> {
  if (kept.length > 0) {
    await db.raw('delete from span_days.?? where owner_id <> all (?)', [partition, [...kept]]);
    const { rows } = await db.raw<{ rows: unknown[] }>('select 1 from span_days.?? limit 1', [partition]);
    if (rows.length > 0) return;
  }
  await db.raw('drop table if exists span_days.??', [partition]);
}

/**
 * Rows of that day that came before go from the default partition into it: PostgreSQL makes none over rows
 * that would belong to it.
 */
async function makePartition(db: Knex, day: number): Promise<void> {
  const [from, to] = [new Date(day * DAY_MS).toISOString(), new Date((day + 1) * DAY_MS).toISOString()];
  const name = `spans_${from.slice(0, 10).replaceAll('-', '_')}`;
  const there = await db.raw<{ rows: { there: boolean }[] }>(`select to_regclass(?) is not null as there`, [`span_days.${name}`]);
  if (there.rows[0]?.there) return;
  await db.transaction(async (tx) => {
    await tx.raw(`select pg_advisory_xact_lock(hashtext('svc.span_days'))`);
    // Writers wait for the lock; no call waits for the writers.
    await tx.raw('lock table span_days.spans_default in access exclusive mode');
    const again = await tx.raw<{ rows: { there: boolean }[] }>(`select to_regclass(?) is not null as there`, [`span_days.${name}`]);
    if (again.rows[0]?.there) return;
    await tx.raw('create table span_days.?? (like spans including defaults including constraints)', [name]);
    await tx.raw(
      'with gone as (delete from only span_days.spans_default where kept_at >= ? and kept_at < ? returning *) insert into span_days.?? select * from gone',
      [from, to, name],
    );
    // Bounds of a partition are no place for bindings; these are dates that were written here.
    await tx.raw(`alter table spans attach partition span_days.?? for values from ('${from}') to ('${to}')`, [name]);
  });
}

// Safe: only `write` fills these columns, with what StoredSpan holds.
function asAttributes(value: unknown): Record<string, unknown> {
  return value as Record<string, unknown>;
}
function asEvents(value: unknown): SpanEvent[] {
  return value as SpanEvent[];
}
