// Payouts: what creators earned with their agents, what they are owed, and what they were paid.
import { z } from 'zod';
import { group, ndjson, svcGroup } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { BANK_PAYOUT_STATES, PAYOUT_LINE_KINDS, PAYOUT_LINE_REASONS, PAYOUT_LINE_STATES, PAYOUT_RUN_STATES, PAYOUT_TRANSFER_STATES } from '../states.ts';
import { StatementPart } from '../wire/statement.ts';

const micros = z.int();
const count = z.int().min(0);

const PAYOUT_ACCOUNT_STATES = ['none', 'incomplete', 'in_review', 'ready'] as const;

const account = {
  state: z.enum(PAYOUT_ACCOUNT_STATES).meta({
    description: 'none: there is none; incomplete: the processor asks for more; in_review: the processor reviews the details; ready: it can be paid.',
  }),
  payouts_enabled: z.boolean(),
  requirements: z.array(z.string()).meta({ description: 'What the processor asks for, in its words.' }),
  disabled_reason: z.string().nullable(),
  bank_payout: z
    .strictObject({
      state: z.enum(BANK_PAYOUT_STATES).meta({ description: 'cancelled: before it was there. One that is paid may fail days later.' }),
      amount: z.int().meta({ description: 'In the smallest unit of the currency.' }),
      currency: z.string().meta({ description: 'Currency of your bank account: ISO 4217, in small letters.' }),
      failure: z
        .strictObject({ code: z.string(), message: z.string() })
        .nullable()
        .meta({ description: 'Why your bank refused it, in the words of the processor.' }),
      at: Instant,
    })
    .nullable()
    .meta({ description: 'The newest payout of the processor to your bank, which may be of several runs. null: none is known.' }),
  test_money: z.boolean().meta({ description: 'No real money moves.' }),
};
export const PayoutAccountOut = z.strictObject(account).meta({ id: 'PayoutAccountOut' });
export type PayoutAccountOut = z.infer<typeof PayoutAccountOut>;

const PayoutAccountIn = z
  .strictObject({
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'is not a country: use two letters, for example DE')
      .optional()
      .meta({ description: 'Where you are paid, as ISO 3166-1 alpha-2; default: the processor asks.' }),
  })
  .meta({ id: 'PayoutAccountIn' });

export const PayoutAccountLinkOut = z
  .strictObject({ ...account, url: z.string().meta({ description: 'A page of the processor for your details. It can be opened once.' }), expires_at: Instant })
  .meta({ id: 'PayoutAccountLinkOut' });
export type PayoutAccountLinkOut = z.infer<typeof PayoutAccountLinkOut>;

const sums = {
  made_micros: micros.meta({
    description: 'Your share of what was received for calls that qualify, corrections counted. Micro-credits; a credit is worth one US dollar.',
  }),
  held_micros: micros.meta({ description: 'Part that is not due yet, or waits for your payout account.' }),
  lines: count.meta({ description: 'Calls and rewards.' }),
};

export const EarningsOut = z
  .strictObject({
    ...sums,
    paid_micros: micros,
    owed_micros: micros.meta({
      description: 'made − paid − held. Below zero: what was taken back of money that you were paid for; what you earn next settles it first.',
    }),
    in_run_micros: micros.meta({ description: 'Part of owed that is being sent now.' }),
    given_micros: micros.meta({ description: 'Your share of calls that were paid with free credits, or whose payment was reversed: it is not paid out.' }),
    minimum_micros: micros.meta({ description: 'A run pays from this on.' }),
    hold_days: count,
    agents: z
      .array(
        z.strictObject({
          ...sums,
          agent: z.string().nullable().meta({ description: 'null: rewards of bounties.' }),
          model_cost_micros: micros.meta({
            description: 'Micro-dollars that models cost your credentials in runs of this agent; you paid them to the provider.',
          }),
          net_micros: micros.meta({ description: 'made − model cost, and not below zero: one agent never costs another one its earnings.' }),
        }),
      )
      .meta({ description: 'Most made first; 500 at most.' }),
    recent: z
      .array(
        z.strictObject({
          line_id: z.string(),
          kind: z.enum(PAYOUT_LINE_KINDS),
          state: z.enum(PAYOUT_LINE_STATES),
          agent: z.string().nullable(),
          skill: z.string().nullable(),
          receipt_id: z.string().nullable(),
          charged_micros: micros,
          received_micros: micros,
          amount_micros: micros,
          reason: z.enum(PAYOUT_LINE_REASONS).nullable(),
          at: Instant,
          hold_until: Instant.nullable(),
        }),
      )
      .meta({ description: 'The newest 50 lines.' }),
  })
  .meta({ id: 'PayoutEarningsOut' });
export type EarningsOut = z.infer<typeof EarningsOut>;

export const PayoutMetricsOut = z
  .strictObject({
    owed_micros: micros.meta({ description: 'Micro-credits that all creators are owed now.' }),
    held_micros: micros,
    sent_micros: micros.meta({ description: 'Sent since the beginning.' }),
    runs: count,
    last_run_at: Instant.nullable(),
  })
  .meta({ id: 'PayoutMetricsOut' });
export type PayoutMetricsOut = z.infer<typeof PayoutMetricsOut>;

export const PayoutRunOut = z
  .strictObject({
    run_id: z.string(),
    state: z.enum(PAYOUT_RUN_STATES),
    transfer: z.enum(PAYOUT_TRANSFER_STATES).meta({ description: 'What it pays you. failed: the next run tries again.' }),
    amount_micros: micros,
    reversed_micros: micros.meta({ description: 'Part that came back from the processor. You are owed it again.' }),
    lines: count,
    has_statement: z.boolean(),
    root_sha256: z.string().nullable(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    created_at: Instant,
    ended_at: Instant.nullable().meta({ description: 'When the transfer ended.' }),
  })
  .meta({ id: 'PayoutRunOut' });
export type PayoutRunOut = z.infer<typeof PayoutRunOut>;
const PayoutRunListOut = z.strictObject({ items: z.array(PayoutRunOut), next_cursor: nextCursor }).meta({ id: 'PayoutRunListOut' });

const key = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,100}$/, 'use 1 to 100 letters, digits and . _ : -')
  .optional()
  .meta({ description: 'The same key is one run.' });
const userId = z.string().min(1).max(64);
const SettleIn = z.strictObject({ user_id: userId.meta({ description: 'The creator to pay, however small the amount.' }), key }).meta({ id: 'PayoutSettleIn' });
export const SettleAllIn = z
  .strictObject({ user_id: userId.optional().meta({ description: 'Default: all creators who are owed the minimum or more.' }), key })
  .meta({ id: 'PayoutSettleAllIn' });
export const SettleOut = z.strictObject({ run_id: z.string(), state: z.enum(PAYOUT_RUN_STATES) }).meta({ id: 'PayoutSettleOut' });

export const payouts = group({
  account: {
    at: 'GET /v1/payouts/account',
    summary: 'Your account at the payment processor, where payouts go',
    scope: 'authenticated',
    out: PayoutAccountOut,
    errors: [401, 403],
  },
  openAccount: {
    at: 'POST /v1/payouts/account',
    summary: 'Open it, or continue: a page of the processor where you enter your details',
    scope: 'authenticated',
    body: PayoutAccountIn,
    out: PayoutAccountLinkOut,
    errors: [401, 403, 502, 503],
  },
  earnings: {
    at: 'GET /v1/payouts/earnings',
    summary: 'Read the earnings of all your agents, what was paid and what is due',
    scope: 'authenticated',
    out: EarningsOut,
    errors: [401, 403],
  },
  metrics: {
    at: 'GET /v1/payouts/metrics',
    summary: 'Read what the platform owes all creators, and what it has sent',
    scope: 'authenticated',
    out: PayoutMetricsOut,
    errors: [401, 403],
  },
  runs: {
    at: 'GET /v1/payouts/runs',
    summary: 'Runs that paid you, newest first',
    scope: 'authenticated',
    query: pageQuery(20, 100),
    out: PayoutRunListOut,
    errors: [400, 401, 403],
  },
  settle: {
    at: 'POST /v1/payouts/settle',
    summary: 'Pay a creator what they are owed; operators only',
    scope: 'authenticated',
    body: SettleIn,
    out: SettleOut,
    status: 202,
    errors: [401, 403, 404, 409, 503],
  },
});

const params = z.object({ run_id: z.string().min(1).max(64) });
export const PayoutReceiptPart = z.strictObject({ receipt_id: z.string(), token: z.string() }).meta({ id: 'PayoutReceipt' });
export type PayoutReceiptPart = z.infer<typeof PayoutReceiptPart>;

/** What a creator checks a payment with. */
export const payoutStatements = svcGroup({
  statement: {
    at: 'GET /v1/payouts/runs/{run_id}/statement',
    summary: 'Read the signed statement of a run that paid you, receipt by receipt',
    scope: 'authenticated',
    params,
    out: ndjson(StatementPart),
    errors: [401, 403, 404, 409],
  },
  receipts: {
    at: 'GET /v1/payouts/runs/{run_id}/receipts',
    summary: 'The receipts that its statement names',
    scope: 'authenticated',
    params,
    out: ndjson(PayoutReceiptPart),
    errors: [401, 403, 404],
  },
});
