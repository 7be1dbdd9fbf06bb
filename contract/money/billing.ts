// Plans and what is paid for them. The payment processor says what was paid; amounts and taxes are its own.
import { z } from 'zod';
import { bytes, group } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { INVOICE_KINDS, INVOICE_STATES } from '../states.ts';

export const MAX_EVENT_BYTES = 1024 * 1024;
export const MAX_SEATS = 10_000;
export const PlanName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'is not the name of a plan');

export const PlanOut = z
  .strictObject({
    plan: z.string(),
    name: z.string(),
    description: z.string(),
    price_cents: z.int().min(0).meta({ description: 'US cents each month and seat, without taxes.' }),
    max_seats: z.int().min(1),
    included_micros: z.int().min(0).meta({ description: 'Micro-credits given with each paid month and seat.' }),
    limits: z.record(z.string(), z.int()).meta({ description: 'Limits that are other than those of the installation.' }),
  })
  .meta({ id: 'PlanOut' });

export const BillingOut = z
  .strictObject({
    plan: PlanOut,
    seats: z.int().min(1),
    subscription: z
      .strictObject({
        state: z.enum(['active', 'past_due']),
        cancel_at_period_end: z.boolean(),
        period_start: Instant,
        period_end: Instant,
        pay_before: Instant.nullable().meta({ description: 'past_due: when the account gets the free plan, if nothing is paid.' }),
      })
      .nullable()
      .meta({ description: 'null: the free plan.', id: 'SubscriptionOut' }),
    month: z
      .strictObject({
        from: Instant,
        charges_micros: z.int().min(0).meta({ description: 'Calls with a price, paid with credits.' }),
        calls: z.int().min(0),
        models_micros: z.int().min(0).meta({ description: 'Language models by credentials of the account, paid to their providers.' }),
      })
      .meta({ id: 'BillingMonth', description: 'Used since the beginning of the month (UTC).' }),
    plans: z.array(PlanOut).meta({ description: 'The offered plans.' }),
    test_money: z.boolean().nullable().meta({ description: 'null: nothing can be paid on this installation.' }),
  })
  .meta({ id: 'BillingOut' });

export const BillingCheckoutIn = z
  .strictObject({ plan: PlanName.meta({ examples: ['pro'] }), seats: z.int().min(1).max(MAX_SEATS).default(1) })
  .meta({ id: 'BillingCheckoutIn' });
export const BillingCheckoutOut = z
  .strictObject({ url: z.string(), expires_at: Instant, plan: z.string(), seats: z.int().min(1), test_money: z.boolean() })
  .meta({ id: 'BillingCheckoutOut' });
export const BillingPortalOut = z.strictObject({ url: z.string(), test_money: z.boolean() }).meta({ id: 'BillingPortalOut' });
export const BillingCancelIn = z
  .strictObject({ resume: z.boolean().default(false).meta({ description: 'Continue a subscription that was cancelled.' }) })
  .meta({ id: 'BillingCancelIn' });

export const InvoiceOut = z
  .strictObject({
    invoice_id: z.string(),
    kind: z.enum(INVOICE_KINDS).meta({ description: 'subscription: of a plan; usage: calls of a month, paid with credits already.' }),
    number: z.string().nullable(),
    state: z.enum(INVOICE_STATES),
    amount_micros: z.int().meta({ description: 'Micro-dollars, without taxes.' }),
    tax_micros: z.int(),
    paid_micros: z.int(),
    lines: z.array(z.strictObject({ text: z.string(), quantity: z.int(), amount_micros: z.int() }).meta({ id: 'InvoiceLine' })),
    period_start: Instant,
    period_end: Instant,
    created_at: Instant,
    url: z.string().nullable().meta({ description: 'Its page at the payment processor.' }),
    pdf_url: z.string().nullable(),
  })
  .meta({ id: 'InvoiceOut' });
export const InvoiceListOut = z.strictObject({ items: z.array(InvoiceOut), next_cursor: nextCursor }).meta({ id: 'InvoiceListOut' });

export const ProcessorEventOut = z
  .strictObject({
    taken: z.boolean().meta({ description: 'True: the platform has stored the change.' }),
    reason: z.enum(['taken', 'replayed', 'not_followed']),
  })
  .meta({ id: 'ProcessorEventOut' });

export const billing = group({
  webhook: {
    at: 'POST /v1/billing/processor/webhook',
    summary: 'An event of the payment processor',
    description:
      'Its signature replaces credentials. An event only states that something changed; the platform reads the change from the processor, stores it, then answers. The processor sends unanswered events again. Events of other kinds are accepted and ignored.',
    scope: 'platform',
    signed: ['stripe-signature'],
    headers: z.object({
      'stripe-signature': z.string().max(2_000).optional().meta({ description: '`t=<seconds>,v1=<HMAC-SHA256>` over the body as it is sent.' }),
    }),
    body: bytes('application/json'),
    out: ProcessorEventOut,
    errors: [400, 401, 403, 413, 502, 503],
  },
  get: {
    at: 'GET /v1/me/billing',
    summary: "The account's plan, what it used this month, and the plans there are",
    scope: 'account',
    out: BillingOut,
    errors: [401, 403],
  },
  cancel: {
    at: 'POST /v1/me/billing/cancel',
    summary: 'End the plan when the paid period ends, or continue it',
    scope: 'account',
    body: BillingCancelIn,
    out: BillingOut,
    errors: [401, 403, 409, 502, 503],
  },
  checkout: {
    at: 'POST /v1/me/billing/checkout',
    summary: 'Start buying a plan',
    description: 'Answers with a page of the payment processor. An account has one such page at a time.',
    scope: 'account',
    body: BillingCheckoutIn,
    out: BillingCheckoutOut,
    status: 201,
    errors: [401, 403, 404, 409, 429, 502, 503],
    limit: 'create',
  },
  invoices: {
    at: 'GET /v1/me/billing/invoices',
    summary: 'Invoices of the plan, and a statement of each month of calls; the newest first',
    scope: 'account',
    query: pageQuery(20, 100),
    out: InvoiceListOut,
    errors: [400, 401, 403],
  },
  portal: {
    at: 'POST /v1/me/billing/portal',
    summary: 'Open the page of the payment processor where plan, card and invoices are seen to',
    scope: 'account',
    out: BillingPortalOut,
    status: 201,
    errors: [401, 403, 429, 502, 503],
    limit: 'create',
  },
});
