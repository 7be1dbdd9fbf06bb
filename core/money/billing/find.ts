import type { Knex } from 'knex';
import type { SubscriptionsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';

/** The one subscription that counts; undefined: the account has the free plan. */
export async function liveSubscription(db: Knex, user_id: string): Promise<SubscriptionsRow | undefined> {
  return await db('subscriptions').where({ user_id }).whereIn('state', ['active', 'past_due']).whereNull('end_wanted').first();
}

/** @throws Conflict not_subscribed */
export async function requireSubscription({ db }: Ctx, userId: string): Promise<SubscriptionsRow> {
  const row = await liveSubscription(db, userId);
  if (!row) throw new Conflict('not_subscribed', 'The account has the free plan: there is nothing to cancel');
  return row;
}
