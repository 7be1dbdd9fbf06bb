// How many calls of each agent the platform funds for an account: its own number while an operator's override
// holds, else that of its plan, else the setting.
import type { Knex } from 'knex';
import { planLimit } from '../../accounts/plan.ts';

export async function fundedCalls(db: Knex, account: string, now: number): Promise<number> {
  const row = await db('billing_overrides').where({ user_id: account }).first('funded_calls_per_agent', 'expires_at');
  const own = row && isUnexpired(row, now) ? row.funded_calls_per_agent : null;
  return own ?? planLimit(db, account, 'funded_calls_per_agent');
}

export function isUnexpired({ expires_at }: { expires_at: Date | null }, now: number): boolean {
  return expires_at === null || expires_at.getTime() > now;
}
