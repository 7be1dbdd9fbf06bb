// Subscriptions of test money: a month at a time, an invoice for each.
import type { Knex } from 'knex';
import type { PlanPrice, ProcessorInvoice } from '../port.ts';
import { change, dataOf, emit, find, keep, newObjectId, type Objects } from './store.ts';

type Subscription = Objects['subscription'];
type Invoice = Objects['invoice'];

interface Start {
  customerId: string;
  accountId: string;
  reference: string;
  plan: PlanPrice;
  seats: number;
}

export async function startSubscription(tx: Knex, { customerId, accountId, reference, plan, seats }: Start, now: number): Promise<string> {
  const id = newObjectId('subscription');
  const period = { periodStart: now, periodEnd: nextMonth(now), createdAt: now };
  const made = { id, customerId, accountId, reference, plan: plan.plan, price: plan, seats, state: 'active', cancelAtPeriodEnd: false, ...period } as const;
  await keep(tx, 'subscription', accountId, made, now);
  await bill(tx, made, { paid: true, now });
  await emit(tx, 'subscription.created', { kind: 'subscription', id }, now);
  return id;
}

/** A month later in UTC, on the last day where that month is shorter. */
export function nextMonth(at: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + 1);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}

async function bill(tx: Knex, of: Subscription, { paid, now }: { paid: boolean; now: number }): Promise<void> {
  const cents = of.price.cents * of.seats;
  const id = newObjectId('invoice');
  const line = { text: of.price.name, cents, quantity: of.seats };
  const invoice: Invoice = {
    id,
    number: id.slice(-8).toUpperCase(),
    customerId: of.customerId,
    accountId: of.accountId,
    subscriptionId: of.id,
    state: paid ? 'paid' : 'open',
    cents,
    taxCents: 0,
    paidCents: paid ? cents : 0,
    lines: [line],
    periodStart: of.periodStart,
    periodEnd: of.periodEnd,
    createdAt: now,
    url: null,
    pdfUrl: null,
  };
  await keep(tx, 'invoice', of.accountId, invoice, now);
  await emit(tx, paid ? 'invoice.paid' : 'invoice.payment_failed', { kind: 'invoice', id }, now);
}

export async function updateSubscription(tx: Knex, id: string, now: number, to: (s: Subscription) => Partial<Subscription>): Promise<Subscription> {
  const before = await find(tx, 'subscription', id, { lock: true });
  if (before.state === 'cancelled') return before;
  const after = await change(tx, 'subscription', { ...before, ...to(before) });
  await emit(tx, after.state === 'cancelled' ? 'subscription.ended' : 'subscription.updated', { kind: 'subscription', id }, now);
  return after;
}

/**
 * What a month's end brings, once for each month that is over. A subscription that is not paid is not billed
 * again.
 */
export async function renewDue(db: Knex, now: number): Promise<void> {
  const due = await db('test_money_objects')
    .where({ kind: 'subscription' })
    .whereRaw(`data->>'state' = 'active' and (data->>'periodEnd')::bigint <= ?`, [now])
    .limit(500)
    .select('object_id');
  for (const { object_id } of due) await db.transaction((tx) => renew(tx, object_id, now));
}

async function renew(tx: Knex, id: string, now: number): Promise<void> {
  const before = await find(tx, 'subscription', id, { lock: true });
  if (before.state !== 'active' || before.periodEnd > now) return;
  if (before.cancelAtPeriodEnd) return void (await updateSubscription(tx, id, now, () => ({ state: 'cancelled' })));
  const { cardDeclines } = await find(tx, 'customer', before.customerId);
  const state = cardDeclines ? 'past_due' : 'active';
  const after = await updateSubscription(tx, id, now, (s) => ({ state, periodStart: s.periodEnd, periodEnd: nextMonth(s.periodEnd) }));
  await bill(tx, after, { paid: !cardDeclines, now });
}

export async function payInvoice(tx: Knex, id: string, now: number): Promise<ProcessorInvoice> {
  const invoice = await find(tx, 'invoice', id, { lock: true });
  if (invoice.state !== 'open') return invoice;
  const paid = await change(tx, 'invoice', { ...invoice, state: 'paid', paidCents: invoice.cents });
  await emit(tx, 'invoice.paid', { kind: 'invoice', id }, now);
  if (invoice.subscriptionId !== null && !(await hasOpen(tx, invoice.subscriptionId)))
    await updateSubscription(tx, invoice.subscriptionId, now, () => ({ state: 'active' }));
  return paid;
}

async function hasOpen(tx: Knex, subscriptionId: string): Promise<boolean> {
  const { accountId } = await find(tx, 'subscription', subscriptionId);
  const rows = await tx('test_money_objects').where({ kind: 'invoice', owner_id: accountId }).whereRaw(`data->>'state' = 'open'`).select('data');
  return rows.some(({ data }) => dataOf<Invoice>(data).subscriptionId === subscriptionId);
}

/** Of a subscription that ends unpaid nothing is owed. */
export async function voidOpenInvoices(tx: Knex, { id, accountId }: Subscription, now: number): Promise<void> {
  const rows = await tx('test_money_objects').where({ kind: 'invoice', owner_id: accountId }).whereRaw(`data->>'state' = 'open'`).select('data');
  for (const { data } of rows) {
    const invoice = dataOf<Invoice>(data);
    if (invoice.subscriptionId !== id) continue;
    await change(tx, 'invoice', { ...invoice, state: 'void' });
    await emit(tx, 'invoice.voided', { kind: 'invoice', id: invoice.id }, now);
  }
}
