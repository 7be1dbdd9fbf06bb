import type { z } from 'zod';
import type { CreditsCheckoutIn, CreditsCheckoutOut } from '#contract/money/credits.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { setting } from '../../kernel/settings.ts';
import { atProcessor, paymentsOf } from '../processor/ask.ts';
import { customerOf } from '../processor/customer.ts';

/** A checkout is paid within a day. */
const OPEN_MS = 24 * 3_600_000;

/**
 * Our record first, then the processor's: whatever is paid there leads back to a record. A crash between
 * leaves a record that cannot be paid.
 * @throws Invalid for an amount out of bounds; Unavailable payments_off, payments_down; BadGateway
 * payments_refused
 */
export async function checkOutCredits(ctx: Ctx, i: z.infer<typeof CreditsCheckoutIn>): Promise<z.infer<typeof CreditsCheckoutOut>> {
  const user = requireUser(ctx, 'credits.check_out');
  const payments = paymentsOf(ctx);
  await requireAmount(ctx, i.amount_cents);
  const customerId = await customerOf(ctx, payments, user);
  const now = ctx.clock();
  const top_up_id = newId('top', now);
  await act(ctx, 'credits.check_out', requireUser, async (ctx, { user_id }) => {
    const row = { top_up_id, user_id, processor: payments.name, state: 'open' as const, amount_cents: i.amount_cents };
    await ctx.db('top_ups').insert({ ...row, created_at: new Date(now), expires_at: new Date(now + OPEN_MS) });
    return done({ top_up: top_up_id }, { amount_cents: i.amount_cents });
  });
  const back = `${ctx.config.baseUrl}/credits?top_up=${top_up_id}`;
  const description = `Credits worth ${(i.amount_cents / 100).toFixed(2)} US dollars`;
  const topUpRequest = { customerId, reference: top_up_id, cents: i.amount_cents, description, successUrl: back, cancelUrl: back, key: `top_up:${top_up_id}` };
  const checkout = await atProcessor(payments.topUp(topUpRequest));
  const expires_at = new Date(Math.min(checkout.expiresAt, now + OPEN_MS));
  // It may be paid, and written, by now.
  await ctx.db('top_ups').where({ top_up_id, state: 'open' }).update({ checkout_id: checkout.id, checkout_url: checkout.url, expires_at });
  if (checkout.url === null) throw new Error('a new checkout has no address');
  return { top_up_id, url: checkout.url, expires_at: expires_at.toISOString(), amount_cents: i.amount_cents, test_money: payments.testMoney };
}

async function requireAmount({ db }: Ctx, cents: number): Promise<void> {
  const [least, most] = [await setting(db, 'top_up_least_cents'), await setting(db, 'top_up_most_cents')];
  const bounds = `${(least / 100).toFixed(2)} to ${(most / 100).toFixed(2)} US dollars`;
  if (cents < least || cents > most) throw new Invalid([{ path: ['body', 'amount_cents'], message: `is not an amount from ${bounds}` }]);
}
