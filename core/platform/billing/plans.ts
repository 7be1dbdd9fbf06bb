import type { Knex } from 'knex';
import type { z } from 'zod';
import type { AdminPlanOut, PlanIn } from '#contract/platform/plans.ts';
import type { PlansRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { FREE_PLAN } from '../../accounts/plan.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { storableText } from '../../kernel/storable.ts';
import { act, done } from '../../kernel/act.ts';
import { presentPlan } from '../../money/billing/get.ts';
import { writeVersion } from '../versioned.ts';

type Plan = z.infer<typeof AdminPlanOut>;

export async function listBillingPlans(ctx: Ctx): Promise<{ items: Plan[] }> {
  requireOperator(ctx, 'plan.read');
  const [rows, accounts] = await Promise.all([ctx.db('plans').orderBy('position').orderBy('plan'), accountsOf(ctx.db)]);
  return { items: rows.map((row) => present(row, accounts)) };
}

/**
 * @throws Conflict version_conflict (the present version in its details); Invalid for a free plan that costs
 * something, or is offered no longer
 */
export async function putPlan(ctx: Ctx, { plan, ...i }: { plan: string } & z.infer<typeof PlanIn>): Promise<Plan> {
  return act(ctx, 'plan.put', requireOperator, async (ctx, operator) => {
    if (plan === FREE_PLAN && i.price_cents > 0) throw new Invalid([{ path: ['body', 'price_cents'], message: 'is 0 for the free plan' }]);
    if (plan === FREE_PLAN && !i.offered) throw new Invalid([{ path: ['body', 'offered'], message: 'is true for the free plan' }]);
    const { version, limits, name, description, ...numbers } = i;
    const texts = { name: storableText(name), description: storableText(description), limits: JSON.stringify(limits) };
    const values = { ...numbers, ...texts, updated_by: operator.user_id };
    // The plans of a new installation are at version 0 too.
    const { before, after } = await writeVersion(ctx.db, { table: 'plans', key: ['plan', plan], version, values });
    return done({ plan }, { from: before ? present(before, new Map()) : null, to: i }, present(after, await accountsOf(ctx.db)));
  });
}

async function accountsOf(db: Knex): Promise<Map<string, number>> {
  const rows = await db('subscriptions')
    .whereIn('state', ['active', 'past_due'])
    .whereNull('end_wanted')
    .groupBy('plan')
    .select<{ plan: string; accounts: number }[]>('plan', db.raw('count(*)::int as accounts'));
  return new Map(rows.map(({ plan, accounts }) => [plan, accounts]));
}

function present(row: PlansRow, accounts: ReadonlyMap<string, number>): Plan {
  const { position, offered, version, updated_at } = row;
  return { ...presentPlan(row), position, offered, accounts: accounts.get(row.plan) ?? 0, version, updated_at: updated_at.toISOString() };
}
