// Which plan an account has: the one of its live subscription, else the free one. What a plan says about a
// setting holds instead of the setting.
import type { Knex } from 'knex';
import type { SettingName } from '#contract/platform/settings.ts';
import type { PlansRow } from '#db/tables.ts';
import { setting } from '../kernel/settings.ts';

export const FREE_PLAN = 'free';

export interface AccountPlan {
  plan: PlansRow;
  seats: number;
}

/** A plan that is not in the list any more counts as the free one. */
export async function planOf(db: Knex, userId: string): Promise<AccountPlan> {
  const row = await db('subscriptions as s')
    .join('plans as p', 'p.plan', 's.plan')
    .where({ 's.user_id': userId })
    .whereIn('s.state', ['active', 'past_due'])
    .whereNull('s.end_wanted')
    .first<PlansRow & { seats: number }>('p.*', 's.seats');
  if (row) return { plan: row, seats: row.seats };
  const free = await db('plans').where({ plan: FREE_PLAN }).first();
  if (!free) throw new Error('the free plan is missing from plans');
  return { plan: free, seats: 1 };
}

/** A limit of the account by its plan, else the installation's. */
export async function planLimit(db: Knex, userId: string, name: SettingName): Promise<number> {
  const { plan } = await planOf(db, userId);
  return limitsOf(plan)[name] ?? setting(db, name);
}

// Safe: only operators write it, through a schema of such values.
export function limitsOf({ limits }: Pick<PlansRow, 'limits'>): Partial<Record<SettingName, number>> {
  return limits as Partial<Record<SettingName, number>>;
}
