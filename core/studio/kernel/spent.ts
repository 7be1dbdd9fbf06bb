import type { Knex } from 'knex';
import type { KernelRunsRow } from '#db/tables.ts';
import { callsIn } from './row.ts';

/** What the models of its agents cost so far, micro-dollars, with those of the runs that they started; a replay costs nothing. */
export async function spentMicros(db: Knex, row: Pick<KernelRunsRow, 'calls' | 'replay_of'>): Promise<number> {
  const runs = row.replay_of === null ? callsIn(row).flatMap(({ run_id }) => run_id ?? []) : [];
  if (runs.length === 0) return 0;
  const { rows } = await db.raw<{ rows: { spent: number }[] }>(
    `select coalesce(sum(u.cost_micros), 0)::bigint as spent
     from llm_usage u join runs r on r.run_id = u.run_id where r.run_id = any(:runs) or r.root_run_id = any(:runs)`,
    { runs },
  );
  return rows[0]?.spent ?? 0;
}
