// Checkouts whose event never came: they are looked at by ourselves, so that a lost event loses no money.
import type { Ctx } from '../../kernel/ctx.ts';
import type { Payments } from '#drivers/payments/port.ts';
import { follow } from '../processor/follow.ts';
import { followTopUp } from '../credits/follow-top-up.ts';
import { followCheckout } from './follow-checkout.ts';

const A_ROUND = 200;
const FIRST_LOOK_MS = 2 * 60_000;
const BETWEEN_MS = 10 * 60_000;
/** It can no longer be paid. */
const OVER_MS = 26 * 3_600_000;

export async function lookAtCheckouts(ctx: Ctx): Promise<void> {
  const { payments } = ctx.drivers;
  if (!payments) return;
  await lookAtTopUps(ctx, payments);
  await lookAtPlans(ctx, payments);
}

async function lookAtTopUps(ctx: Ctx, payments: Payments): Promise<void> {
  const now = ctx.clock();
  const rows = await due(ctx, 'top_ups', now).where({ state: 'open', processor: payments.name }).select<{ top_up_id: string; created_at: Date }[]>('*');
  for (const { top_up_id, created_at } of rows) {
    await ctx
      .db('top_ups')
      .where({ top_up_id })
      .update({ checked_at: new Date(now) });
    // The follower is found by the record itself: its checkout may not be known here.
    const follower = { payment: (inner: Ctx) => followTopUp(inner, payments, top_up_id) };
    await follow(ctx, { payments, followers: follower, about: { kind: 'payment', id: top_up_id } });
    const over = created_at.getTime() < now - OVER_MS;
    if (over)
      await ctx
        .db('top_ups')
        .where({ top_up_id, state: 'open' })
        .update({ state: 'expired', checkout_url: null, revision: ctx.db.raw('revision + 1') });
  }
}

async function lookAtPlans(ctx: Ctx, payments: Payments): Promise<void> {
  const now = ctx.clock();
  const rows = await due(ctx, 'plan_checkouts', now)
    .where({ processor: payments.name })
    .select<{ checkout_key: string; checkout_id: string | null; created_at: Date }[]>('*');
  for (const { checkout_key, checkout_id: id, created_at } of rows) {
    await ctx
      .db('plan_checkouts')
      .where({ checkout_key })
      .update({ checked_at: new Date(now) });
    if (id !== null) await follow(ctx, { payments, followers: { checkout: followCheckout }, about: { kind: 'checkout', id } });
    if (created_at.getTime() < now - OVER_MS) await ctx.db('plan_checkouts').where({ checkout_key }).delete();
  }
}

function due({ db }: Ctx, table: 'top_ups' | 'plan_checkouts', now: number) {
  return db(table)
    .where('created_at', '<', new Date(now - FIRST_LOOK_MS))
    .where((query) => void query.whereNull('checked_at').orWhere('checked_at', '<', new Date(now - BETWEEN_MS)))
    .orderByRaw('checked_at nulls first')
    .limit(A_ROUND);
}
