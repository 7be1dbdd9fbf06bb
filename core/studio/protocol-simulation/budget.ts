// What models have cost in a rehearsal: those that runs of its account asked.
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import type { Knex } from 'knex';
import type { ProtocolSimulationsRow } from '#db/tables.ts';

/**
 * Micro-dollars. A disposable account has no model credential of its own, so that today this is 0; it is
 * counted all the same.
 */
export async function rehearsalSpending(
  db: Knex,
  { stage_user_id, stage_removed_at, spent_micros }: Pick<ProtocolSimulationsRow, 'stage_user_id' | 'stage_removed_at' | 'spent_micros'>,
): Promise<number> {
  if (stage_user_id === null || stage_removed_at !== null) return spent_micros;
  const [row] = await db('llm_usage').where({ user_id: stage_user_id }).sum<{ micros: string | null }[]>('cost_micros as micros');
  return Number(row?.micros ?? 0);
}

export async function isOverBudget(
  db: Knex,
  row: Pick<ProtocolSimulationsRow, 'stage_user_id' | 'stage_removed_at' | 'spent_micros' | 'run_budget_cents'>,
): Promise<boolean> {
  return (await rehearsalSpending(db, row)) > row.run_budget_cents * MICROS_OF_A_CENT;
}
