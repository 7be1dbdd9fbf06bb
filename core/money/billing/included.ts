// Credits that come with a plan: for each paid month once, whichever is known first, the invoice or its
// subscription.
import type { Knex } from 'knex';
import { give } from '../credits/welcome.ts';

/**
 * By the end of the month that an invoice pays: invoices for a change within the month end with it, and give
 * nothing more.
 */
export async function giveIncluded(tx: Knex.Transaction, subscription_id: string, at: number): Promise<void> {
  const one = await tx('subscriptions as s')
    .join('plans as p', 'p.plan', 's.plan')
    .where({ 's.subscription_id': subscription_id })
    .whereRaw(`s.end_wanted is distinct from 'duplicate'`)
    .first<{ user_id: string; seats: number; included_micros: number }>('s.user_id', 's.seats', 'p.included_micros');
  if (!one || one.included_micros === 0) return;
  const paid = await tx('invoices').where({ subscription_id, state: 'paid' }).orderBy('created_at', 'desc').limit(24).distinct('period_end', 'created_at');
  for (const { period_end } of paid) {
    const key = `included:${subscription_id}:${period_end.getTime()}`;
    // Seats may have changed since: what was given stays.
    if (await tx('ledger_transactions').where({ key }).first('transaction_id')) continue;
    await give(tx, { key, userId: one.user_id, micros: one.included_micros * one.seats, refs: { subscription_id }, at });
  }
}
