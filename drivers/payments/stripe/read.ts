// Stripe's objects in the words of the port.
import type Stripe from 'stripe';
import {
  type Checkout,
  type CheckoutState,
  type Dispute,
  type DisputeState,
  type Payment,
  refusedBy,
  type ProcessorInvoice,
  type ProcessorInvoiceState,
  type ProcessorSubscription,
  type ProcessorSubscriptionState,
} from '../port.ts';
import { idOf, ms } from './client.ts';

const CHECKOUT_STATES: readonly CheckoutState[] = ['open', 'complete', 'expired'];
const INVOICE_STATES: readonly ProcessorInvoiceState[] = ['draft', 'open', 'paid', 'void', 'uncollectible'];

export function checkoutOf(s: Stripe.Checkout.Session): Checkout {
  const tax = s.total_details?.amount_tax ?? 0;
  return {
    id: s.id,
    kind: s.mode === 'subscription' ? 'subscription' : 'top_up',
    url: s.url,
    state: CHECKOUT_STATES.find((state) => state === s.status) ?? 'open',
    paid: s.payment_status === 'paid' || s.payment_status === 'no_payment_required',
    reference: s.client_reference_id ?? '',
    customerId: idOf(s.customer) ?? '',
    cents: dollars(s.currency, (s.amount_total ?? 0) - tax),
    taxCents: tax,
    paymentId: idOf(s.payment_intent),
    subscriptionId: idOf(s.subscription),
    expiresAt: ms(s.expires_at),
  };
}

/** The books are in US dollars: another currency at the processor is a mistake of its settings. */
function dollars(currency: string | null, cents: number): number {
  if (currency !== null && currency !== 'usd') throw refusedBy('currency', 'The payment is not in US dollars');
  return cents;
}

export function paymentOf(p: Stripe.PaymentIntent, disputes: readonly Stripe.Dispute[]): Payment {
  const charge = typeof p.latest_charge === 'string' ? null : p.latest_charge;
  return {
    id: p.id,
    reference: p.metadata['reference'] ?? null,
    customerId: idOf(p.customer),
    paid: p.status === 'succeeded',
    cents: dollars(p.currency, p.amount_received),
    refundedCents: charge?.amount_refunded ?? 0,
    disputes: disputes.map((one): Dispute => ({ id: one.id, paymentId: p.id, cents: one.amount, state: disputeState(one.status) })),
  };
}

/** A warning takes no money, as one that was prevented does not. */
function disputeState(status: Stripe.Dispute['status']): DisputeState {
  if (status === 'lost') return 'lost';
  return status === 'needs_response' || status === 'under_review' ? 'open' : 'won';
}

const STATES: Readonly<Record<string, ProcessorSubscriptionState>> = {
  incomplete: 'incomplete',
  trialing: 'active',
  active: 'active',
  past_due: 'past_due',
  unpaid: 'past_due',
  paused: 'past_due',
};

/** `planOf`: of a price. */
export function subscriptionOf(s: Stripe.Subscription, planOf: (priceId: string) => string | undefined): ProcessorSubscription {
  const [item] = s.items.data;
  return {
    id: s.id,
    customerId: idOf(s.customer) ?? '',
    reference: s.metadata['reference'] ?? null,
    plan: (item && planOf(item.price.id)) ?? s.metadata['plan'],
    seats: item?.quantity ?? 1,
    state: STATES[s.status] ?? 'cancelled',
    cancelAtPeriodEnd: s.cancel_at_period_end || s.cancel_at !== null,
    periodStart: ms(item?.current_period_start ?? s.start_date),
    periodEnd: ms(item?.current_period_end ?? s.start_date),
    createdAt: ms(s.created),
  };
}

export function invoiceOf(i: Stripe.Invoice): ProcessorInvoice {
  // The invoice's own period is the one before: what it is for stands in its lines.
  const periods = i.lines.data.map(({ period }) => period);
  const service = periods.length > 0 ? periods : [{ start: i.period_start, end: i.period_end }];
  const taxCents = (i.total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0);
  return {
    id: i.id,
    number: i.number,
    customerId: idOf(i.customer) ?? '',
    subscriptionId: idOf(i.parent?.subscription_details?.subscription),
    state: INVOICE_STATES.find((state) => state === i.status) ?? 'draft',
    cents: dollars(i.currency, i.total - taxCents),
    taxCents,
    paidCents: i.amount_paid,
    lines: i.lines.data.map((line) => ({ text: line.description ?? '', cents: line.amount, quantity: line.quantity ?? 1 })),
    periodStart: ms(Math.min(...service.map(({ start }) => start))),
    periodEnd: ms(Math.max(...service.map(({ end }) => end))),
    createdAt: ms(i.created),
    url: i.hosted_invoice_url ?? null,
    pdfUrl: i.invoice_pdf ?? null,
  };
}
