import type { Knex } from 'knex';
import type { SkillPricesRow } from '#db/tables.ts';

/** What the skill costs now; undefined: nothing. */
export function livePrice(db: Knex, agentId: string, skill: string): Promise<SkillPricesRow | undefined> {
  return db('skill_prices').where({ agent_id: agentId, skill }).whereNull('valid_until').first();
}
