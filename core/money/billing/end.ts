// Subscriptions that have to end at the processor: unpaid for too long, bought twice, or of an account that
// is purged. Tried until they have ended.
import type { SubscriptionsRow } from '#db/tables.ts';
import { PaymentsFailed, type Payments } from '#drivers/payments/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { follow } from '../processor/follow.ts';
import { followSubscription } from './follow-subscription.ts';

const A_ROUND = 100;

export async function endSubscriptions(ctx: Ctx): Promise<void> {
  const { payments } = ctx.drivers;
  if (!payments) return;
  const rows = await ctx.db('subscriptions').whereNotNull('end_wanted').whereNot({ state: 'cancelled' }).orderBy('updated_at').limit(A_ROUND);
  for (const row of rows) if (row.processor === payments.name) await end(ctx, payments, row);
}

async function end(ctx: Ctx, payments: Payments, { subscription_id: id, end_wanted }: SubscriptionsRow): Promise<void> {
  try {
    await payments.cancelSubscription({ id, when: 'now', prorate: end_wanted === 'duplicate', key: `end:${id}` });
  } catch (error) {
    // One that the processor does not have any more has ended.
    if (!(error instanceof PaymentsFailed) || error.code !== 'not_found') throw error;
  }
  await follow(ctx, { payments, followers: { subscription: followSubscription }, about: { kind: 'subscription', id } });
  // Of an account that is purged nothing is followed any more.
  const now = new Date(ctx.clock());
  await ctx
    .db('subscriptions')
    .where({ subscription_id: id })
    .whereNot({ state: 'cancelled' })
    .update({ state: 'cancelled', ended_at: now, past_due_since: null, updated_at: now, revision: ctx.db.raw('revision + 1') });
}
