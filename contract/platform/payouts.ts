// Payouts for operators: what is owed to whom, what was sent, runs.
import { z } from 'zod';
import { group } from '../kit.ts';
import { PayoutMetricsOut, SettleAllIn, SettleOut } from '../money/payouts.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { PAYOUT_RUN_STATES } from '../states.ts';

const micros = z.int();
const count = z.int().min(0);

export const OperatorPayoutMetricsOut = PayoutMetricsOut.extend({
  creators_owed: count,
  creators_ready: count.meta({ description: 'Accounts that can be paid.' }),
  below_zero_micros: micros.meta({ description: 'What creators were paid for money that was taken back later, and have not earned since.' }),
  given_micros: micros.meta({ description: 'Shares of calls that were paid with free credits or whose payment was lost: they are not paid out.' }),
  ledger_payouts_micros: micros.meta({ description: 'Balance of the ledger account payouts: equal to sent_micros.' }),
  failed_transfers: count.meta({ description: 'In the newest 10 runs.' }),
  recent: z.array(
    z.strictObject({
      run_id: z.string(),
      state: z.enum(PAYOUT_RUN_STATES),
      creators: count,
      paid: count,
      failed: count,
      sent_micros: micros,
      created_at: Instant,
      ended_at: Instant.nullable(),
    }),
  ),
}).meta({ id: 'OperatorPayoutMetricsOut' });
export type OperatorPayoutMetricsOut = z.infer<typeof OperatorPayoutMetricsOut>;

export const PayoutOwedOut = z
  .strictObject({
    user_id: z.string(),
    email: z.string(),
    owed_micros: micros,
    held_micros: micros,
    lines: count.meta({ description: 'Number of due lines.' }),
    payouts_enabled: z.boolean(),
    last_error: z.strictObject({ code: z.string(), message: z.string() }).nullable().meta({ description: 'Message of the newest transfer, where it failed.' }),
  })
  .meta({ id: 'PayoutOwedOut' });
export type PayoutOwedOut = z.infer<typeof PayoutOwedOut>;

export const payoutsAdmin = group({
  metrics: {
    at: 'GET /v1/admin/payouts/metrics',
    summary: 'Read what is owed and what was sent, with the newest runs',
    scope: 'operator',
    out: OperatorPayoutMetricsOut,
    errors: [401, 403],
  },
  owed: {
    at: 'GET /v1/admin/payouts/owed',
    summary: 'List creators who are owed money, or for whom money is held',
    scope: 'operator',
    query: pageQuery(50, 200, ['m']),
    out: z.strictObject({ items: z.array(PayoutOwedOut), next_cursor: nextCursor }).meta({ id: 'PayoutOwedListOut' }),
    errors: [400, 401, 403],
  },
  settle: {
    at: 'POST /v1/admin/payouts/settle',
    summary: 'Start a run: pay all creators who are owed the minimum, or one creator',
    scope: 'operator',
    body: SettleAllIn,
    out: SettleOut,
    status: 202,
    errors: [401, 403, 404, 409, 503],
  },
});
