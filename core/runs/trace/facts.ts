// The runs that a trace consists of, from their rows: nothing is written for a trace while they run, so
// nothing is missing after a crash.
import type { Knex } from 'knex';
import type { ReceiptsRow, RunsRow } from '#db/tables.ts';
import type { RunEndState } from '../../kernel/run-state.ts';

const COLUMNS = [
  'run_id', 'agent_id', 'agent_name', 'skill', 'user_id', 'caller_kind', 'parent_run_id', 'root_run_id', 'trace_id', 'parent_span_id', 'thread_id', 'job_id',
  'attempt', 'grant_id', 'receipt_id', 'state', 'started_at', 'ended_at',
] as const; // prettier-ignore

export type RunFacts = Pick<RunsRow, (typeof COLUMNS)[number]> & { version: string | null; error_code: string | null };

/** Of one trace: more are not shown. */
export const MAX_RUNS = 1_000;

/** The run and every run below it; one more than are shown, if there are. */
export async function runsBelow(db: Knex, runId: string): Promise<RunFacts[]> {
  const own = COLUMNS.map((column) => `r.${column}`).join(', ');
  const { rows } = await db.raw<{ rows: Omit<RunFacts, 'version' | 'error_code'>[] }>(
    `with recursive tree as (
       select ${own} from runs r where r.run_id = :runId
       union all
       select ${own} from tree t join runs r on r.parent_run_id = t.run_id
     )
     select * from tree order by started_at, run_id limit :limit`,
    { runId, limit: MAX_RUNS + 1 },
  );
  return withReceipts(db, rows);
}

/** Of those that have one. */
export async function runRows(db: Knex, runIds: readonly string[]): Promise<RunFacts[]> {
  return withReceipts(
    db,
    await db('runs')
      .whereIn('run_id', runIds)
      .select(...COLUMNS),
  );
}

async function withReceipts(db: Knex, rows: Omit<RunFacts, 'version' | 'error_code'>[]): Promise<RunFacts[]> {
  const receipts = rows.length === 0 ? [] : await receiptsOf(db, rows.map(({ run_id }) => run_id)); // prettier-ignore
  const byRun = Map.groupBy(receipts, ({ run_id }) => run_id);
  return rows.map((row) => {
    const [receipt] = byRun.get(row.run_id) ?? [];
    return { ...row, receipt_id: row.receipt_id ?? receipt?.receipt_id ?? null, version: receipt?.version ?? null, error_code: receipt?.error_code ?? null };
  });
}

/** A run that only computed has no row: its receipts say all there is of it. */
export async function runOfReceipts(db: Knex, runId: string): Promise<RunFacts | undefined> {
  const receipts = await receiptsOf(db, [runId]);
  const [first] = receipts;
  if (!first) return undefined;
  const end = Math.max(...receipts.map(({ ended_at }) => ended_at.getTime()));
  const failed = receipts.find(({ status }) => status !== 'ok') ?? first;
  return {
    run_id: runId,
    agent_id: first.agent_id,
    agent_name: first.agent_name,
    skill: receipts.length === 1 ? first.skill : 'mcp',
    user_id: first.caller_user_id,
    caller_kind: first.caller_kind,
    parent_run_id: null,
    root_run_id: null,
    trace_id: first.trace_id,
    parent_span_id: first.parent_span_id,
    thread_id: null,
    job_id: first.job_id,
    attempt: 1,
    grant_id: null,
    receipt_id: first.receipt_id,
    state: STATE[failed.status],
    started_at: first.started_at,
    ended_at: new Date(end),
    version: first.version,
    error_code: failed.error_code,
  };
}

const STATE: Readonly<Record<ReceiptsRow['status'], RunEndState>> = { ok: 'succeeded', error: 'failed', cancelled: 'cancelled' };

type Receipt = Pick<
  ReceiptsRow,
  | 'receipt_id'
  | 'agent_id'
  | 'run_id'
  | 'skill'
  | 'status'
  | 'caller_kind'
  | 'caller_user_id'
  | 'job_id'
  | 'started_at'
  | 'ended_at'
  | 'trace_id'
  | 'parent_span_id'
> & { agent_name: string; version: string | null; error_code: string | null };

async function receiptsOf(db: Knex, runIds: readonly string[]): Promise<Receipt[]> {
  const { rows } = await db.raw<{ rows: Receipt[] }>(
    `select c.receipt_id, c.agent_id, c.run_id, c.skill, c.status, c.caller_kind, c.caller_user_id, c.job_id, c.started_at, c.ended_at, c.trace_id, c.parent_span_id,
       a.name as agent_name, c.payload->'agent'->>'version' as version, c.payload->>'error_code' as error_code
     from receipts c join agents a using (agent_id)
     where c.run_id = any(:runIds) and c.source = 'platform' order by c.started_at, c.receipt_id`,
    { runIds: [...runIds] },
  );
  return rows;
}
