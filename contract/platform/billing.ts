// What operators see and change of the account of accounts: what the platform funds, what model use costs.
import { z } from 'zod';
import { LlmUsageTotals, MAX_USAGE_DAYS } from '../money/llm-usage.ts';
import { Instant, SequenceNumber } from '../shared.ts';

const facts = {
  funded_calls_per_agent: z
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .meta({ description: 'Calls of each agent that the platform funds for this account; null: the setting funded_calls_per_agent.' }),
  expires_at: z.iso.datetime().nullable().meta({ description: 'From then on the account has what every account has; null: until it is changed.' }),
  reason: z.string().max(500).meta({ description: 'For operators; the account does not see it.' }),
};

export const BillingOverrideIn = z
  .strictObject({
    ...facts,
    version: SequenceNumber.meta({ description: 'The version last read: the write is refused when the override has another version by now.' }),
  })
  .meta({ id: 'BillingOverrideIn' });

export const BillingOverrideOut = z
  .strictObject({
    user_id: z.string(),
    ...facts,
    in_force: z.boolean().meta({ description: 'It changes something now.' }),
    version: SequenceNumber.meta({ description: '0: never changed. Grows by one with every write.' }),
    updated_at: Instant.nullable(),
    updated_by: z.string().nullable().meta({ description: 'User id of the operator who wrote it last.' }),
  })
  .meta({ id: 'BillingOverrideOut' });
export type BillingOverrideOut = z.infer<typeof BillingOverrideOut>;

const day = z.iso.date('is not a day: 2026-11-22').meta({ examples: ['2026-11-01'] });

export const BillingMetricsQuery = z.object({
  from: day.optional().meta({ description: "First day (UTC); default: the month's first." }),
  to: day.optional().meta({ description: `Last day, itself included; default: today. At most ${MAX_USAGE_DAYS} days after from.` }),
});

export const BillingMetricsOut = z
  .strictObject({
    from: z.string(),
    to: z.string(),
    models: LlmUsageTotals.extend({ accounts: z.int().min(0) }).meta({ description: 'Use of language models by all accounts, in the period.' }),
    days: z
      .array(z.strictObject({ day: z.string(), calls: z.int().min(0), cost_micros: z.int().min(0) }))
      .meta({ description: 'Days with any use, in order.' }),
    funded: z
      .strictObject({
        calls: z.int().min(0),
        accounts: z.int().min(0),
        agents: z.int().min(0),
      })
      .meta({ description: 'Calls that the platform has funded, since the beginning.' }),
    overrides_in_force: z.int().min(0),
    top_ups: z
      .strictObject({
        count: z.int().min(0),
        credited_micros: z.int().min(0),
        taken_back_micros: z.int().min(0).meta({ description: 'Amount of these taken back by refunds and disputes so far.' }),
        tax_cents: z.int().min(0),
      })
      .meta({ description: 'Paid in, in the period.', id: 'BillingTopUps' }),
    charges: z
      .strictObject({ count: z.int().min(0), amount_micros: z.int().min(0), fee_micros: z.int().min(0) })
      .meta({ description: 'Calls with a price that were settled in the period, and what the platform kept of them.', id: 'BillingCharges' }),
    subscriptions: z
      .array(
        z
          .strictObject({
            plan: z.string(),
            active: z.int().min(0),
            past_due: z.int().min(0),
            seats: z.int().min(0),
            monthly_cents: z.int().min(0).meta({ description: 'US cents each month, by the present price of the plan.' }),
          })
          .meta({ id: 'BillingPlanCount' }),
      )
      .meta({ description: 'Now, by plan; without the free one.' }),
    invoices: z
      .strictObject({ paid: z.int().min(0), paid_micros: z.int().min(0), open: z.int().min(0), open_micros: z.int().min(0) })
      .meta({ description: 'Invoices of plans, made in the period.', id: 'BillingInvoices' }),
    books: z
      .strictObject({
        wallets_micros: z.int().meta({ description: 'Credits of all accounts.' }),
        held_micros: z.int().min(0),
        owed_micros: z.int().min(0).meta({ description: 'Amount owed by blocked wallets.' }),
        promotion_micros: z.int().min(0).meta({ description: 'Given so far.' }),
        losses_micros: z.int().min(0).meta({ description: 'Taken back after it was spent, and not paid yet.' }),
        fees_micros: z.int(),
      })
      .meta({ description: 'Now, by the ledger.', id: 'BillingBooks' }),
    test_money: z.boolean().nullable().meta({ description: 'null: nothing can be paid on this installation.' }),
  })
  .meta({ id: 'BillingMetricsOut' });
