// A subscription, as the processor has it now. An account has one that counts: of two that were paid at once
// the younger is ended there.
import type { SubscriptionsRow } from '#db/tables.ts';
import type { Payments, ProcessorSubscription } from '#drivers/payments/port.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { accountOfCustomer } from '../processor/customer.ts';
import type { ProcessorSnapshot } from '../processor/follow.ts';
import { giveIncluded } from './included.ts';

export async function followSubscription(ctx: Ctx, payments: Payments, id: string): Promise<ProcessorSnapshot | undefined> {
  const before = await ctx.db('subscriptions').where({ subscription_id: id }).first('revision');
  const read = await payments.subscription(id);
  const userId = await accountOfCustomer(ctx, payments, read.customerId);
  // Another product of the same operator at the same processor.
  if (userId === undefined || read.reference !== userId) return undefined;
  return { write: (ctx) => write(ctx, { read, userId, processor: payments.name, revision: before?.revision ?? 0 }) };
}

interface Read {
  read: ProcessorSubscription;
  userId: string;
  processor: Payments['name'];
  revision: number;
}
type Row = Omit<SubscriptionsRow, 'created_at' | 'subscription_id'>;

async function write(ctx: TxCtx, { read, userId, processor, revision }: Read): Promise<boolean> {
  await lockName(ctx.db, `subscriptions of ${userId}`);
  const key = { subscription_id: read.id };
  const row = await ctx.db('subscriptions').where(key).forUpdate().first();
  if ((row?.revision ?? 0) !== revision) return false;
  const now = new Date(ctx.clock());
  const values: Row = {
    ...factsOf(read, now, row),
    processor,
    user_id: userId,
    end_wanted: row?.end_wanted ?? null,
    revision: revision + 1,
    updated_at: now,
  };
  if (isLive(values)) values.end_wanted = await settleRival(ctx, read, userId);
  await ctx
    .db('subscriptions')
    .insert({ ...key, created_at: new Date(read.createdAt), ...values })
    .onConflict('subscription_id')
    .merge(values);
  if (row?.state !== values.state) await audit(ctx, `subscription.${values.state}`, { subscription: read.id }, { user_id: userId, plan: values.plan });
  await giveIncluded(ctx.db, read.id, ctx.clock());
  return true;
}

function factsOf(read: ProcessorSubscription, now: Date, row: SubscriptionsRow | undefined) {
  const { state } = read;
  return {
    // A price that no plan names changes nothing.
    plan: read.plan ?? row?.plan ?? 'unknown',
    seats: Math.max(1, read.seats),
    state,
    cancel_at_period_end: read.cancelAtPeriodEnd,
    period_start: new Date(read.periodStart),
    period_end: new Date(read.periodEnd),
    past_due_since: state === 'past_due' ? (row?.past_due_since ?? now) : null,
    ended_at: state === 'cancelled' ? (row?.ended_at ?? now) : null,
  };
}

function isLive({ state, end_wanted }: Pick<SubscriptionsRow, 'state' | 'end_wanted'>): boolean {
  return (state === 'active' || state === 'past_due') && end_wanted === null;
}

/** Of two, whichever was written first, the older one stays. */
async function settleRival(ctx: TxCtx, read: ProcessorSubscription, user_id: string): Promise<'duplicate' | null> {
  const rival = await ctx
    .db('subscriptions')
    .where({ user_id })
    .whereIn('state', ['active', 'past_due'])
    .whereNull('end_wanted')
    .whereNot({ subscription_id: read.id })
    .forUpdate()
    .first('subscription_id', 'created_at');
  if (!rival) return null;
  const age = rival.created_at.getTime() - read.createdAt;
  const rivalStays = age === 0 ? rival.subscription_id < read.id : age < 0;
  await audit(ctx, 'subscription.duplicate', { subscription: rivalStays ? read.id : rival.subscription_id }, { user_id });
  if (rivalStays) return 'duplicate';
  const changed = { end_wanted: 'duplicate' as const, updated_at: new Date(ctx.clock()), revision: ctx.db.raw('revision + 1') };
  await ctx.db('subscriptions').where({ subscription_id: rival.subscription_id }).update(changed);
  return null;
}
