import type { z } from 'zod';
import type { BillingOut, PlanOut } from '#contract/money/billing.ts';
import type { PlansRow, SubscriptionsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { limitsOf, planOf } from '../../accounts/plan.ts';
import { requireUser } from '../../kernel/policy.ts';
import { setting } from '../../kernel/settings.ts';
import { liveSubscription } from './find.ts';
import { usageOf } from './usage.ts';

/** The account's plan, what it uses this month, and the plans there are. */
export async function getBilling(ctx: Ctx): Promise<z.infer<typeof BillingOut>> {
  const { user_id } = requireUser(ctx, 'billing.read');
  const { db, drivers } = ctx;
  const now = ctx.clock();
  const monthStart = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth(), 1);
  const [{ plan, seats }, row, plans, graceDays, usage] = await Promise.all([
    planOf(db, user_id),
    liveSubscription(db, user_id),
    db('plans').where({ offered: true }).orderBy('position').orderBy('plan'),
    setting(db, 'unpaid_plan_days'),
    usageOf(db, user_id, new Date(monthStart), new Date(now)),
  ]);
  return {
    plan: presentPlan(plan),
    seats,
    subscription: row ? presentSubscription(row, graceDays) : null,
    month: { from: new Date(monthStart).toISOString(), charges_micros: usage.chargesMicros, calls: usage.calls, models_micros: usage.modelsMicros },
    plans: plans.map(presentPlan),
    test_money: drivers.payments?.testMoney ?? null,
  };
}

export function presentPlan(row: PlansRow): z.infer<typeof PlanOut> {
  const { plan, name, description, price_cents, max_seats, included_micros } = row;
  return { plan, name, description, price_cents, max_seats, included_micros, limits: limitsOf(row) };
}

function presentSubscription(row: SubscriptionsRow, graceDays: number): z.infer<typeof BillingOut>['subscription'] {
  const { state, past_due_since } = row;
  return {
    state: state === 'past_due' ? 'past_due' : 'active',
    cancel_at_period_end: row.cancel_at_period_end,
    period_start: row.period_start.toISOString(),
    period_end: row.period_end.toISOString(),
    pay_before: past_due_since ? new Date(past_due_since.getTime() + graceDays * 86_400_000).toISOString() : null,
  };
}
