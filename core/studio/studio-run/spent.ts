// What runs of the studio have cost: the models that they asked, and their calls of the finished agent.
import type { Knex } from 'knex';
import { spentBy as spentByRuns } from '../../runs/run/spent.ts';

/** Micro-dollars by run. */
export async function studioSpending(db: Knex, runIds: readonly string[]): Promise<Map<string, number>> {
  const calls = await db('studio_calls').whereIn('run_id', [...runIds]).select('run_id', 'child_run_id'); // prettier-ignore
  const own = runIds.map((run_id) => ({ of: run_id, run_id }));
  const spent = await spentByRuns(db, [...own, ...calls.map(({ run_id, child_run_id }) => ({ of: run_id, run_id: child_run_id }))]);
  return new Map([...spent].map(([of, { micros }]) => [of, micros]));
}

export async function studioRunSpending(db: Knex, runId: string): Promise<number> {
  return (await studioSpending(db, [runId])).get(runId) ?? 0;
}
