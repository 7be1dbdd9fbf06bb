// Buying a plan. An account has one open checkout: two requests at once for the same plan lead to the same
// page, one for another plan closes the first.
import type { z } from 'zod';
import type { BillingCheckoutIn, BillingCheckoutOut } from '#contract/money/billing.ts';
import type { PlanCheckoutsRow, PlansRow } from '#db/tables.ts';
import type { Checkout, Payments } from '#drivers/payments/port.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Invalid, NotFound, Unavailable } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { FREE_PLAN } from '../../accounts/plan.ts';
import { requireUser } from '../../kernel/policy.ts';
import { atProcessor, paymentsOf } from '../processor/ask.ts';
import { customerOf } from '../processor/customer.ts';
import { follow } from '../processor/follow.ts';
import { liveSubscription } from './find.ts';
import { followCheckout } from './follow-checkout.ts';

/** Shorter than the processor's own day, and than the time for which it knows keys. */
const OPEN_MS = 23 * 3_600_000;
const ATTEMPTS = 5;

/**
 * @throws NotFound plan_not_found; Conflict plan_not_offered, already_subscribed; Invalid for too many seats;
 * Unavailable payments_off, payments_down; BadGateway payments_refused
 */
export async function checkOutPlan(ctx: Ctx, i: z.infer<typeof BillingCheckoutIn>): Promise<z.infer<typeof BillingCheckoutOut>> {
  const user = requireUser(ctx, 'billing.check_out');
  const payments = paymentsOf(ctx);
  const plan = await planToBuy(ctx, i);
  const customerId = await customerOf(ctx, payments, user);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const row = await claim(ctx, payments, { plan, seats: i.seats });
    const checkout = await open(ctx, payments, row, customerId);
    const same = row.plan === plan.plan && row.seats === i.seats && row.price_cents === plan.price_cents;
    if (same && checkout.state === 'open' && checkout.url !== null)
      return { url: checkout.url, expires_at: new Date(checkout.expiresAt).toISOString(), plan: row.plan, seats: row.seats, test_money: payments.testMoney };
    await close(ctx, payments, row, checkout);
  }
  throw new Unavailable('payments_busy', 'Another checkout of this account is being opened: try again');
}

async function planToBuy({ db }: Ctx, { plan: name, seats }: z.infer<typeof BillingCheckoutIn>): Promise<PlansRow> {
  const plan = await db('plans').where({ plan: name }).first();
  if (!plan) throw new NotFound('plan_not_found', `There is no plan ${name}: svc billing get lists them`);
  if (!plan.offered || plan.plan === FREE_PLAN || plan.price_cents === 0) throw new Conflict('plan_not_offered', `${plan.name} cannot be bought`);
  if (seats > plan.max_seats) throw new Invalid([{ path: ['body', 'seats'], message: `is more than the ${plan.max_seats} that ${plan.name} has at most` }]);
  return plan;
}

interface Wanted {
  plan: PlansRow;
  seats: number;
}

/**
 * The open checkout of the account: the one that is there, or a new one. @throws Conflict already_subscribed
 */
async function claim(ctx: Ctx, payments: Payments, { plan, seats }: Wanted): Promise<PlanCheckoutsRow> {
  return act(ctx, 'billing.check_out', requireUser, async (ctx, { user_id }) => {
    await lockName(ctx.db, `subscriptions of ${user_id}`);
    const live = await liveSubscription(ctx.db, user_id);
    if (live) throw new Conflict('already_subscribed', `The account has the plan ${live.plan} already: change it with svc billing portal`, { plan: live.plan });
    const now = ctx.clock();
    const row = await ctx.db('plan_checkouts').where({ user_id }).first();
    if (row && row.processor === payments.name && row.expires_at.getTime() > now) return unchanged(row);
    await ctx.db('plan_checkouts').where({ user_id }).delete();
    const made = { checkout_key: newId('pck', now), processor: payments.name, plan: plan.plan, plan_name: plan.name, price_cents: plan.price_cents, seats };
    const times = { created_at: new Date(now), expires_at: new Date(now + OPEN_MS) };
    const [inserted] = await ctx
      .db('plan_checkouts')
      .insert({ user_id, ...made, ...times })
      .returning('*');
    if (!inserted) throw new Error('an inserted row came back empty');
    return done({ plan_checkout: inserted.checkout_key }, { plan: plan.plan, seats }, inserted);
  });
}

/** What it asks for depends only on the row: the same row is the same checkout at the processor. */
async function open(ctx: Ctx, payments: Payments, row: PlanCheckoutsRow, customerId: string): Promise<Checkout> {
  const back = `${ctx.config.baseUrl}/billing`;
  const plan = { plan: row.plan, name: row.plan_name, cents: row.price_cents };
  const subscriptionRequest = {
    customerId,
    reference: row.user_id,
    plan,
    seats: row.seats,
    successUrl: back,
    cancelUrl: back,
    key: `plan:${row.checkout_key}`,
  };
  const { id, url } = await atProcessor(payments.subscribe(subscriptionRequest));
  await ctx.db('plan_checkouts').where({ checkout_key: row.checkout_key }).update({ checkout_id: id, checkout_url: url });
  // An answer that is kept by its key is of the time of the first request.
  return atProcessor(payments.checkout(id));
}

/** Expires the checkout; a payment made meanwhile is recorded. */
async function close(ctx: Ctx, payments: Payments, row: PlanCheckoutsRow, checkout: Checkout): Promise<void> {
  await atProcessor(payments.expireCheckout({ id: checkout.id, key: `expire:${row.checkout_key}` }));
  await follow(ctx, { payments, followers: { checkout: followCheckout }, about: { kind: 'checkout', id: checkout.id } });
  await ctx.db('plan_checkouts').where({ checkout_key: row.checkout_key }).delete();
}
