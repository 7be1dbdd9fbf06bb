import type { z } from 'zod';
import type { BillingCancelIn, BillingOut } from '#contract/money/billing.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { atProcessor, paymentsOf } from '../processor/ask.ts';
import { follow } from '../processor/follow.ts';
import { requireSubscription } from './find.ts';
import { followSubscription } from './follow-subscription.ts';
import { getBilling } from './get.ts';

/**
 * At the end of what is paid, or not after all. Twice is once. @throws Conflict not_subscribed; Unavailable
 * payments_off, payments_down; BadGateway
 */
export async function cancelBilling(ctx: Ctx, i: z.infer<typeof BillingCancelIn>): Promise<z.infer<typeof BillingOut>> {
  const { user_id } = requireUser(ctx, 'billing.cancel');
  const payments = paymentsOf(ctx);
  const { subscription_id: id } = await requireSubscription(ctx, user_id);
  // It only sets a mark at the processor: each request may have a key of its own.
  await atProcessor(payments.cancelSubscription({ id, when: i.resume ? 'never' : 'period_end', key: `cancel:${newId('pck', ctx.clock())}` }));
  await follow(ctx, { payments, followers: { subscription: followSubscription }, about: { kind: 'subscription', id } });
  await act(ctx, 'billing.cancel', requireUser, async () => done({ subscription: id }, { resume: i.resume }));
  return getBilling(ctx);
}
