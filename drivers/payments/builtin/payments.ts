// Payments of test money, and what a payer's bank takes back of them.
import type { Knex } from 'knex';
import { type Payment, refusedBy, type Refund } from '../port.ts';
import { change, emit, find, newObjectId } from './store.ts';

export async function refundPayment(tx: Knex, { paymentId, cents }: { paymentId: string; cents?: number | undefined }, now: number): Promise<Refund> {
  const payment = await find(tx, 'payment', paymentId, { lock: true });
  const left = payment.cents - payment.refundedCents;
  const amount = cents ?? left;
  if (amount <= 0 || amount > left) throw refusedBy('amount_too_large', 'The payment has less left than that');
  if (payment.disputes.some(({ state }) => state !== 'won')) throw refusedBy('charge_disputed', 'The payment is disputed');
  await change(tx, 'payment', { ...payment, refundedCents: payment.refundedCents + amount });
  await emit(tx, 'payment.refunded', { kind: 'payment', id: paymentId }, now);
  return { id: newObjectId('payment').replace('tpay', 'tref'), paymentId, cents: amount };
}

/** Disputes what is left of it. */
export async function openDispute(tx: Knex, paymentId: string, now: number): Promise<void> {
  const payment = await find(tx, 'payment', paymentId, { lock: true });
  const cents = payment.cents - payment.refundedCents;
  if (cents <= 0 || payment.disputes.some(({ state }) => state !== 'won')) return;
  const dispute = { id: newObjectId('payment').replace('tpay', 'tdsp'), paymentId, cents, state: 'open' } as const;
  await change(tx, 'payment', { ...payment, disputes: [...payment.disputes, dispute] });
  await emit(tx, 'dispute.created', { kind: 'payment', id: paymentId }, now);
}

export async function closeDisputes(tx: Knex, paymentId: string, state: 'won' | 'lost', now: number): Promise<void> {
  const payment = await find(tx, 'payment', paymentId, { lock: true });
  const disputes: Payment['disputes'] = payment.disputes.map((one) => (one.state === 'open' ? { ...one, state } : one));
  await change(tx, 'payment', { ...payment, disputes });
  await emit(tx, 'dispute.closed', { kind: 'payment', id: paymentId }, now);
}
