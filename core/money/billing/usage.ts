// What an account used in a period: calls with a price, which its credits paid, and language models that it
// pays elsewhere.
import type { Knex } from 'knex';

export interface UsageLine {
  text: string;
  quantity: number;
  amount_micros: number;
}
export interface Usage {
  calls: number;
  chargesMicros: number;
  modelsMicros: number;
}

export async function usageOf(db: Knex, userId: string, from: Date, to: Date): Promise<Usage> {
  const [[charges], [models]] = await Promise.all([
    chargesOf(db, userId, from, to).select<{ calls: number; micros: number }[]>(
      db.raw('count(*)::int as calls, coalesce(sum(amount_micros), 0)::bigint as micros'),
    ),
    db('llm_usage')
      .where({ user_id: userId })
      .where('started_at', '>=', from)
      .where('started_at', '<', to)
      .select<{ micros: number }[]>(db.raw('coalesce(sum(cost_micros), 0)::bigint as micros')),
  ]);
  return { calls: charges?.calls ?? 0, chargesMicros: charges?.micros ?? 0, modelsMicros: models?.micros ?? 0 };
}

/** By skill, the costliest first; what does not fit is one line. */
export async function usageLines(db: Knex, userId: string, from: Date, to: Date, most = 50): Promise<UsageLine[]> {
  const rows = await chargesOf(db, userId, from, to)
    .leftJoin('agents as a', 'a.agent_id', 'c.agent_id')
    .select<UsageLine[]>(
      db.raw(`coalesce(a.name, 'a deleted agent') || ' / ' || c.skill as text, count(*)::int as quantity, sum(c.amount_micros)::bigint as amount_micros`),
    )
    .groupBy('a.name', 'c.skill')
    .orderBy('amount_micros', 'desc')
    .orderBy('text');
  const rest = rows.slice(most);
  const sum = (of: (line: UsageLine) => number): number => rest.reduce((total, one) => total + of(one), 0);
  const more = { text: `${rest.length} more skills`, quantity: sum(({ quantity }) => quantity), amount_micros: sum((line) => line.amount_micros) };
  return [...rows.slice(0, most), ...(rest.length > 0 ? [more] : [])];
}

function chargesOf(db: Knex, payer_id: string, from: Date, to: Date): Knex.QueryBuilder {
  return db('charges as c').where({ 'c.payer_id': payer_id, 'c.state': 'settled' }).where('c.ended_at', '>=', from).where('c.ended_at', '<', to);
}
