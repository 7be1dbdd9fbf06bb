// A checkout, as the processor has it now: of credits, or of a plan.
import type { Checkout, Payments } from '#drivers/payments/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { followTopUp } from '../credits/follow-top-up.ts';
import type { ProcessorSnapshot } from '../processor/follow.ts';
import { followSubscription } from './follow-subscription.ts';

export async function followCheckout(ctx: Ctx, payments: Payments, id: string): Promise<ProcessorSnapshot | undefined> {
  const checkout = await payments.checkout(id);
  if (checkout.kind === 'top_up') return followTopUp(ctx, payments, checkout.reference, { checkoutId: id });
  return followPlanCheckout(ctx, payments, checkout);
}

async function followPlanCheckout(ctx: Ctx, payments: Payments, { id, state, subscriptionId }: Checkout): Promise<ProcessorSnapshot | undefined> {
  if (state === 'open') return undefined;
  const subscription = subscriptionId === null ? undefined : await followSubscription(ctx, payments, subscriptionId);
  return {
    async write(ctx) {
      await ctx.db('plan_checkouts').where({ checkout_id: id, processor: payments.name }).delete();
      return subscription ? subscription.write(ctx) : true;
    },
  };
}
