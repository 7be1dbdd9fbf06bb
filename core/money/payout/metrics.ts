// What the platform owes all creators, and what it has sent: sums, and nothing that says whose.
import type { PayoutMetricsOut } from '#contract/money/payouts.ts';
import type { OperatorPayoutMetricsOut } from '#contract/platform/payouts.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireOperator, requireUser } from '../../kernel/policy.ts';
import { ON_HOLD_SUM, SENT } from './earnings.ts';

const RECENT = 10;

export async function payoutMetrics(ctx: Ctx): Promise<PayoutMetricsOut> {
  requireUser(ctx, 'payout.metrics');
  return sumsOf(ctx);
}

async function sumsOf({ db }: Ctx): Promise<PayoutMetricsOut> {
  const { rows } = await db.raw<{ rows: [Omit<PayoutMetricsOut, 'last_run_at'> & { last_run_at: Date | null }] }>(
    `select coalesce(sum(amount_micros) filter (where state in ('owed', 'failed', 'in_run')), 0)::bigint as owed_micros, ${ON_HOLD_SUM} as held_micros,
            (select ${SENT} from payout_transfers where state = 'paid') as sent_micros,
            (select count(*) from payout_runs)::bigint as runs, (select max(created_at) from payout_runs) as last_run_at
     from payout_lines where state in ('accrued', 'held', 'owed', 'failed', 'in_run')`,
  );
  const [{ last_run_at, ...sums }] = rows;
  return { ...sums, last_run_at: last_run_at?.toISOString() ?? null };
}

type Recent = OperatorPayoutMetricsOut['recent'][number];
type RecentRow = Omit<Recent, 'created_at' | 'ended_at'> & { created_at: Date; ended_at: Date | null };
type Further = Pick<OperatorPayoutMetricsOut, 'creators_owed' | 'creators_ready' | 'below_zero_micros' | 'given_micros' | 'ledger_payouts_micros'>;

export async function operatorPayoutMetrics(ctx: Ctx): Promise<OperatorPayoutMetricsOut> {
  requireOperator(ctx, 'payout.owed');
  const { db } = ctx;
  const [sums, further, recent] = await Promise.all([
    sumsOf(ctx),
    db.raw<{ rows: [Further] }>(
      `select count(*) filter (where owed > 0)::bigint as creators_owed, coalesce(-sum(owed) filter (where owed < 0), 0)::bigint as below_zero_micros,
              (select count(*) from payout_accounts where payouts_enabled)::bigint as creators_ready,
              coalesce((select sum(balance_micros) from ledger_accounts where kind = 'payouts'), 0)::bigint as ledger_payouts_micros,
              (coalesce((select sum(balance_micros) from ledger_accounts where kind = 'earnings'), 0)
                - coalesce((select sum(amount_micros) from payout_lines where state not in ('paid', 'cancelled')), 0))::bigint as given_micros
       from (select sum(amount_micros) as owed from payout_lines where state in ('owed', 'failed', 'in_run') group by creator_id) o`,
    ),
    db.raw<{ rows: RecentRow[] }>(
      `select r.run_id, r.state, r.created_at, r.ended_at, count(t.transfer_id)::bigint as creators, count(*) filter (where t.state = 'paid')::bigint as paid,
              count(*) filter (where t.state = 'failed')::bigint as failed, coalesce(sum(t.amount_micros - t.reversed_micros) filter (where t.state = 'paid'), 0)::bigint as sent_micros
       from (select * from payout_runs order by created_at desc, run_id desc limit ${RECENT}) r left join payout_transfers t using (run_id)
       group by r.run_id, r.state, r.created_at, r.ended_at order by r.created_at desc, r.run_id desc`,
    ),
  ]);
  const runs = recent.rows.map((run) => ({ ...run, created_at: run.created_at.toISOString(), ended_at: run.ended_at?.toISOString() ?? null }));
  return { ...sums, ...further.rows[0], failed_transfers: runs.reduce((sum, { failed }) => sum + failed, 0), recent: runs };
}
