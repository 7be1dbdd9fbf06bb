// What the skills of an agent cost, as it is shown before a call. The table is written by core/money/price.
import type { Knex } from 'knex';
import type { SkillPriceOut } from '#contract/money/prices.ts';
import type { SkillPricesRow } from '#db/tables.ts';

/** Of all its skills that have a price, by name. */
export async function pricesOfAgent(db: Knex, agentId: string): Promise<SkillPriceOut[]> {
  const rows = await db('skill_prices').where({ agent_id: agentId }).whereNull('valid_until').orderBy('skill');
  return rows.map(presentPrice);
}

export function presentPrice(row: SkillPricesRow): SkillPriceOut {
  const { price_id, skill, version, call_micros, second_micros, token_micros, artifact_micros, max_micros, free_calls } = row;
  return {
    price_id,
    skill,
    version,
    call_micros,
    second_micros,
    token_micros,
    artifact_micros,
    max_micros,
    free_calls,
    valid_from: row.valid_from.toISOString(),
    valid_until: row.valid_until?.toISOString() ?? null,
  };
}
