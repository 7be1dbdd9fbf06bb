// What an organization says of the risk of an agent decides here: one of unacceptable risk is neither deployed nor shown to others.
import type { Knex } from 'knex';
import { Conflict } from '../../kernel/errors.ts';

/** @throws Conflict agent_prohibited */
export async function requireNotProhibited(db: Knex, agentId: string, name: string): Promise<void> {
  const profile = await db('compliance_profiles').where({ agent_id: agentId, risk_tier: 'unacceptable' }).first('agent_id');
  if (profile) throw new Conflict('agent_prohibited', `Its organization rates the risk of ${name} as unacceptable: it is not deployed or published until the profile says otherwise`); // prettier-ignore
}
