import type { Knex } from 'knex';

/** Whether it is one of the free calls. Counted in one guarded statement: of racing calls no more than `most` are. It counts however the call ends. */
export async function takeFreeCall(tx: Knex, i: { payerId: string; agentId: string; skill: string; most: number }): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `insert into free_calls (payer_id, agent_id, skill, used) select :payerId, :agentId, :skill, 1 where :most::int > 0
     on conflict (payer_id, agent_id, skill) do update set used = free_calls.used + 1 where free_calls.used < :most::int
     returning used`,
    i,
  );
  return rows.length > 0;
}
