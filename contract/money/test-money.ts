// Pages of the processor for test money: a person does there what else a bank does. Only an installation
// without a real processor has them.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { Instant, MAX_INT32 } from '../shared.ts';
import { BANK_PAYOUT_STATES } from '../states.ts';
import { MAX_SEATS, PlanName, PlanOut } from './billing.ts';

const id = z.string().min(1).max(100);
const TestPageParams = z.object({ page_id: id });

export const TestCheckoutIn = z
  .strictObject({ action: z.enum(['pay', 'decline', 'cancel']).meta({ description: 'decline: as a card that is refused; it stays open.' }) })
  .meta({ id: 'TestCheckoutIn' });
export const TestCheckoutOut = z
  .strictObject({
    kind: z.enum(['top_up', 'subscription']),
    text: z.string(),
    seats: z.int(),
    amount_cents: z.int(),
    state: z.enum(['open', 'complete', 'expired']),
    success_url: z.string(),
    cancel_url: z.string(),
  })
  .meta({ id: 'TestCheckoutOut' });

export const TestPortalIn = z
  .discriminatedUnion('action', [
    z
      .strictObject({ action: z.literal('card'), declines: z.boolean().meta({ description: 'Whether payments fail when the next month begins.' }) })
      .meta({ id: 'TestPortalCard' }),
    z.strictObject({ action: z.literal('pay'), invoice_id: id }).meta({ id: 'TestPortalPay' }),
    z.strictObject({ action: z.literal('cancel'), subscription_id: id, cancel: z.boolean() }).meta({ id: 'TestPortalCancel' }),
    z.strictObject({ action: z.literal('plan'), subscription_id: id, plan: PlanName, seats: z.int().min(1).max(MAX_SEATS) }).meta({ id: 'TestPortalPlan' }),
    z
      .strictObject({ action: z.literal('take_back'), payment_id: id, how: z.enum(['refund', 'dispute', 'dispute_won', 'dispute_lost']) })
      .meta({ id: 'TestPortalTakeBack' }),
  ])
  .meta({ id: 'TestPortalIn' });
export const TestPortalOut = z
  .strictObject({
    return_url: z.string(),
    card_declines: z.boolean(),
    subscriptions: z.array(
      z
        .strictObject({
          subscription_id: z.string(),
          plan: z.string(),
          seats: z.int(),
          state: z.enum(['incomplete', 'active', 'past_due', 'cancelled']),
          cancel_at_period_end: z.boolean(),
          period_end: Instant,
        })
        .meta({ id: 'TestSubscription' }),
    ),
    invoices: z.array(
      z
        .strictObject({
          invoice_id: z.string(),
          state: z.enum(['draft', 'open', 'paid', 'void', 'uncollectible']),
          amount_cents: z.int(),
          created_at: Instant,
        })
        .meta({ id: 'TestInvoice' }),
    ),
    payments: z.array(
      z
        .strictObject({ payment_id: z.string(), amount_cents: z.int(), refunded_cents: z.int(), disputes: z.array(z.enum(['open', 'won', 'lost'])) })
        .meta({ id: 'TestPayment' }),
    ),
    plans: z.array(PlanOut),
  })
  .meta({ id: 'TestPortalOut' });

export const TestAccountIn = z
  .discriminatedUnion('action', [
    z
      .strictObject({ action: z.enum(['complete', 'refuse', 'restrict']).meta({ description: 'restrict: payouts are disabled.' }) })
      .meta({ id: 'TestAccountFill' }),
    z
      .strictObject({
        action: z.literal('take_back'),
        transfer_id: id,
        cents: z.int().min(1).max(MAX_INT32).optional().meta({ description: 'Default: all that is left.' }),
      })
      .meta({ id: 'TestAccountTakeBack' }),
    z
      .strictObject({
        action: z.literal('pay_out'),
        how: z.enum(['paid', 'failed']).meta({ description: 'failed: the bank refuses it, also one that it took before.' }),
      })
      .meta({ id: 'TestAccountPayOut' }),
  ])
  .meta({ id: 'TestAccountIn' });
export const TestAccountOut = z
  .strictObject({
    details_submitted: z.boolean(),
    payouts_enabled: z.boolean(),
    disabled_reason: z.string().nullable(),
    bank_payout: z.enum(BANK_PAYOUT_STATES).nullable(),
    transfers: z
      .array(z.strictObject({ transfer_id: z.string(), amount_cents: z.int(), reversed_cents: z.int(), created_at: Instant }).meta({ id: 'TestTransfer' }))
      .meta({ description: 'The newest 100.' }),
  })
  .meta({ id: 'TestAccountOut' });

const page = { scope: 'account', params: TestPageParams } as const;

export const testMoney = svcGroup({
  checkout: { at: 'GET /v1/test-money/checkouts/{page_id}', summary: 'A checkout of test money', ...page, out: TestCheckoutOut, errors: [401, 403, 404] },
  finishCheckout: {
    at: 'POST /v1/test-money/checkouts/{page_id}',
    summary: 'Pay, decline or cancel a checkout of test money',
    ...page,
    body: TestCheckoutIn,
    out: TestCheckoutOut,
    errors: [401, 403, 404],
  },
  portal: {
    at: 'GET /v1/test-money/portals/{page_id}',
    summary: 'Read the account of a payer of test money',
    ...page,
    out: TestPortalOut,
    errors: [401, 403, 404],
  },
  usePortal: {
    at: 'POST /v1/test-money/portals/{page_id}',
    summary: 'Change what a payer of test money has, or take a payment back',
    ...page,
    body: TestPortalIn,
    out: TestPortalOut,
    errors: [401, 403, 404],
  },
  account: { at: 'GET /v1/test-money/accounts/{page_id}', summary: 'An account that takes test money', ...page, out: TestAccountOut, errors: [401, 403, 404] },
  fillAccount: {
    at: 'POST /v1/test-money/accounts/{page_id}',
    summary: 'Say who an account that takes test money is of, take a transfer back, or pay out to its bank',
    ...page,
    body: TestAccountIn,
    out: TestAccountOut,
    errors: [401, 403, 404],
  },
});
