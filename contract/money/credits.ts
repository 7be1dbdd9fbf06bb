// Credits: what an account pays calls with. A credit is worth one US dollar; amounts are micro-credits.
import { z } from 'zod';
import { group, svcGroup } from '../kit.ts';
import { Instant, MAX_INT32, nextCursor, pageQuery } from '../shared.ts';
import { LEDGER_TRANSACTION_KINDS, TOP_UP_STATES } from '../states.ts';

export const WalletEntry = z
  .strictObject({
    number: z.int().min(1).meta({ description: 'Number of the entry in the wallet, from 1, without gaps.' }),
    kind: z.enum(LEDGER_TRANSACTION_KINDS).meta({
      description:
        'top_up: paid in; promotion: given; charge: of a call; escrow: reserved for a bounty, or returned; refund: taken back with a payment; restore: given back after a dispute was won; recovery: what was owed is paid; reversal: a correction.',
    }),
    refs: z.record(z.string(), z.string()).meta({ description: 'Ids of what it is about, by their names.' }),
    amount_micros: z.int(),
    before_micros: z.int(),
    after_micros: z.int(),
    at: Instant,
  })
  .meta({ id: 'WalletEntry' });

export const WalletOut = z
  .strictObject({
    balance_micros: z.int().min(0),
    held_micros: z.int().min(0).meta({ description: 'Part of the balance, held for calls that are under way.' }),
    available_micros: z.int().min(0),
    owed_micros: z.int().min(0).meta({ description: 'Taken back by a refund or a dispute after it was spent. The next credits pay it.' }),
    blocked: z.boolean().meta({ description: 'Calls that cost something are refused, since something is owed.' }),
    given_micros: z.int().meta({ description: 'Given so far: to new accounts, and with plans.' }),
    bought_micros: z.int().meta({ description: 'Paid in so far, without what was taken back.' }),
    top_up: z
      .strictObject({ least_cents: z.int(), most_cents: z.int(), test_money: z.boolean() })
      .nullable()
      .meta({ description: 'What may be paid in at a time, in US cents; null: nothing can be paid on this installation.', id: 'TopUpBounds' }),
    items: z.array(WalletEntry).meta({ description: 'The newest first.' }),
    next_cursor: nextCursor,
  })
  .meta({ id: 'WalletOut' });

export const CreditsCheckoutIn = z
  .strictObject({
    amount_cents: z
      .int()
      .min(1)
      .max(MAX_INT32)
      .meta({ description: 'US cents, without taxes, within top_up of GET /v1/credits.', examples: [2_000] }),
  })
  .meta({ id: 'CreditsCheckoutIn' });

export const CreditsCheckoutOut = z
  .strictObject({
    top_up_id: z.string(),
    url: z.string().meta({ description: 'Where a person pays, at the payment processor.' }),
    expires_at: Instant,
    amount_cents: z.int().min(1),
    test_money: z.boolean(),
  })
  .meta({ id: 'CreditsCheckoutOut' });

export const TopUpOut = z
  .strictObject({
    top_up_id: z.string(),
    state: z.enum(TOP_UP_STATES),
    amount_cents: z.int().min(1).meta({ description: 'US cents, without taxes.' }),
    tax_cents: z.int().min(0).meta({ description: 'The tax that the payment processor reported.' }),
    credited_micros: z.int().min(0),
    taken_back_micros: z.int().min(0).meta({ description: 'Amount taken back by refunds and disputes.' }),
    disputed: z.boolean().meta({ description: 'A dispute is open.' }),
    url: z.string().nullable().meta({ description: 'Where it can still be paid.' }),
    test_money: z.boolean(),
    created_at: Instant,
    paid_at: Instant.nullable(),
  })
  .meta({ id: 'TopUpOut' });
export const TopUpListOut = z.strictObject({ items: z.array(TopUpOut), next_cursor: nextCursor }).meta({ id: 'TopUpListOut' });

export const credits = group({
  wallet: {
    at: 'GET /v1/credits',
    summary: 'Read the wallet: credits, and the entries that they add up from',
    scope: 'authenticated',
    query: pageQuery(20, 200, [1_000]),
    out: WalletOut,
    errors: [400, 401, 403],
  },
  checkout: {
    at: 'POST /v1/credits/checkout',
    summary: 'Start paying for credits',
    description: 'Answers with a page of the payment processor. The credits are added when the processor reports the payment.',
    scope: 'authenticated',
    body: CreditsCheckoutIn,
    out: CreditsCheckoutOut,
    status: 201,
    errors: [401, 403, 429, 502, 503],
    limit: 'create',
  },
});

export const topUps = svcGroup({
  topUps: {
    at: 'GET /v1/credits/top-ups',
    summary: 'List the payments of the account, newest first, with amounts taken back',
    scope: 'authenticated',
    query: pageQuery(20, 200),
    out: TopUpListOut,
    errors: [400, 401, 403],
  },
});
