// What accounts paid, and what the books say: sums, and nothing that says who paid what.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { BillingMetricsOut } from '#contract/platform/billing.ts';
import type { Ctx } from '../../kernel/ctx.ts';

type Metrics = Pick<z.infer<typeof BillingMetricsOut>, 'top_ups' | 'charges' | 'subscriptions' | 'invoices' | 'books' | 'test_money'>;

/** `period`: days in UTC, both included. */
export async function moneyMetrics({ db, drivers }: Ctx, period: { from: string; to: string }): Promise<Metrics> {
  const from = new Date(period.from);
  const until = new Date(Date.parse(period.to) + 86_400_000);
  const within = (column: string) => (query: Knex.QueryBuilder) => void query.where(column, '>=', from).where(column, '<', until);
  const [[top_ups], [charges], subscriptions, [invoices], [books]] = await Promise.all([
    db('top_ups')
      .where({ state: 'paid' })
      .where(within('paid_at'))
      .select<Metrics['top_ups'][]>(
        db.raw(`count(*)::int as count, coalesce(sum(credited_micros), 0)::bigint as credited_micros,
          coalesce(sum(taken_micros), 0)::bigint as taken_back_micros, coalesce(sum(tax_cents), 0)::bigint as tax_cents`),
      ),
    db('charges')
      .where({ state: 'settled' })
      .where(within('ended_at'))
      .select<Metrics['charges'][]>(
        db.raw(`count(*)::int as count, coalesce(sum(amount_micros), 0)::bigint as amount_micros, coalesce(sum(fee_micros), 0)::bigint as fee_micros`),
      ),
    subscriptionsOf(db),
    db('invoices')
      .where({ kind: 'subscription' })
      .where(within('created_at'))
      .select<Metrics['invoices'][]>(
        db.raw(`(count(*) filter (where state = 'paid'))::int as paid, coalesce(sum(paid_micros) filter (where state = 'paid'), 0)::bigint as paid_micros,
          (count(*) filter (where state = 'open'))::int as open, coalesce(sum(amount_micros) filter (where state = 'open'), 0)::bigint as open_micros`),
      ),
    booksOf(db),
  ]);
  if (!top_ups || !charges || !invoices || !books) throw new Error('sums are one row each');
  return { top_ups, charges, subscriptions, invoices, books, test_money: drivers.payments?.testMoney ?? null };
}

async function subscriptionsOf(db: Knex): Promise<Metrics['subscriptions']> {
  return await db('subscriptions as s')
    .leftJoin('plans as p', 'p.plan', 's.plan')
    .whereIn('s.state', ['active', 'past_due'])
    .whereNull('s.end_wanted')
    .groupBy('s.plan')
    .orderBy('s.plan')
    .select<Metrics['subscriptions']>(
      's.plan',
      db.raw(`(count(*) filter (where s.state = 'active'))::int as active, (count(*) filter (where s.state = 'past_due'))::int as past_due,
        sum(s.seats)::int as seats, coalesce(sum(s.seats * p.price_cents), 0)::bigint as monthly_cents`),
    );
}

async function booksOf(db: Knex): Promise<Metrics['books'][]> {
  const sum = (column: string, kind: string, sign = ''): string => `coalesce(${sign}sum(${column}) filter (where kind = '${kind}'), 0)::bigint`;
  return await db('ledger_accounts').select<Metrics['books'][]>(
    db.raw(`${sum('balance_micros', 'wallet')} as wallets_micros, ${sum('held_micros', 'wallet')} as held_micros, ${sum('owed_micros', 'wallet')} as owed_micros,
      ${sum('balance_micros', 'promotion', '-')} as promotion_micros, ${sum('balance_micros', 'losses', '-')} as losses_micros,
      ${sum('balance_micros', 'fees')} as fees_micros`),
  );
}
