// A payment processor as the domain sees it. Amounts are whole US cents. Every write names a key: the same
// key and the same request are done once. What happened at the processor arrives as signed events, in any
// order, more than once: an event only names what changed, which is then read again.
import type { ConnectedAccounts } from './payouts-port.ts';
import type { TestMoney } from './test-money.ts';

interface Customer {
  id: string;
}

interface CustomerRequest {
  /** Of the account that pays; the processor keeps it with the customer. */
  accountId: string;
  /** Empty: it has none (an organization). */
  email: string;
  key: string;
}

interface CheckoutBase {
  customerId: string;
  /** Of our record, `top_…` or the account's id: everything that comes of this checkout carries it. */
  reference: string;
  /** Where the browser comes back to. */
  successUrl: string;
  cancelUrl: string;
  key: string;
}
export interface TopUpRequest extends CheckoutBase {
  cents: number;
  description: string;
}
export interface SubscriptionRequest extends CheckoutBase {
  plan: PlanPrice;
  seats: number;
}
/** What a plan costs each month and seat. */
export interface PlanPrice {
  plan: string;
  name: string;
  cents: number;
}

export type CheckoutState = 'open' | 'complete' | 'expired';
export interface Checkout {
  id: string;
  kind: 'top_up' | 'subscription';
  /** Where a person pays; null: it is over. */
  url: string | null;
  state: CheckoutState;
  /** The money is there. A complete checkout may still wait for a slow bank. */
  paid: boolean;
  reference: string;
  customerId: string;
  /** Before taxes and after discounts of the processor. */
  cents: number;
  taxCents: number;
  paymentId: string | null;
  subscriptionId: string | null;
  expiresAt: number;
}

/** One payment of a top-up, and what was taken back of it. */
export interface Payment {
  id: string;
  reference: string | null;
  customerId: string | null;
  paid: boolean;
  /** With taxes. */
  cents: number;
  refundedCents: number;
  disputes: readonly Dispute[];
}
/** `open` and `lost`: the processor has taken the money back; `won`: it was returned. */
export type DisputeState = 'open' | 'won' | 'lost';
export interface Dispute {
  id: string;
  paymentId: string;
  cents: number;
  state: DisputeState;
}

interface RefundRequest {
  paymentId: string;
  /** Absent: all that is left. */
  cents?: number;
  key: string;
}
export interface Refund {
  id: string;
  paymentId: string;
  cents: number;
}

export type ProcessorSubscriptionState = 'incomplete' | 'active' | 'past_due' | 'cancelled';
export interface ProcessorSubscription {
  id: string;
  customerId: string;
  /** The account's id, as the checkout had it. */
  reference: string | null;
  /** Undefined: a price that no plan names. */
  plan: string | undefined;
  seats: number;
  state: ProcessorSubscriptionState;
  cancelAtPeriodEnd: boolean;
  periodStart: number;
  periodEnd: number;
  createdAt: number;
}

export type ProcessorInvoiceState = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
export interface ProcessorInvoice {
  id: string;
  number: string | null;
  customerId: string;
  subscriptionId: string | null;
  state: ProcessorInvoiceState;
  /** Without taxes. */
  cents: number;
  taxCents: number;
  paidCents: number;
  lines: readonly { text: string; cents: number; quantity: number }[];
  periodStart: number;
  periodEnd: number;
  createdAt: number;
  /** Pages of the processor for people. */
  url: string | null;
  pdfUrl: string | null;
}

export type SubjectKind = 'checkout' | 'payment' | 'subscription' | 'invoice' | 'connected_account' | 'transfer';
/** An event, after its signature and its age were checked. */
export interface PaymentEvent {
  id: string;
  /** The processor's own word. */
  type: string;
  at: number;
  /** What to read again; undefined: nothing that we follow. */
  about: { kind: SubjectKind; id: string } | undefined;
}

export interface WebhookRequest {
  raw: Buffer;
  signature: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * The processor refused, or was not reached. `retry`: the same request may work later. The message is for
 * people, and has no secrets.
 */
export class PaymentsFailed extends Error {
  readonly retry: boolean;
  readonly code: string;
  constructor(message: string, of: { retry: boolean; code: string }, cause?: unknown) {
    super(message, { cause });
    this.name = 'PaymentsFailed';
    this.retry = of.retry;
    this.code = of.code;
  }
}
/** `code`: the processor's own word. The same request is refused again. */
export function refusedBy(code: string, message: string): PaymentsFailed {
  return new PaymentsFailed(message, { retry: false, code });
}
/** What came is not an event of the processor: a wrong signature, or too old. */
export class WebhookRefused extends Error {
  readonly why: 'signature' | 'age' | 'content';
  constructor(why: WebhookRefused['why']) {
    super(`the event is refused: ${why}`);
    this.name = 'WebhookRefused';
    this.why = why;
  }
}

/** Events signed longer ago than this, or further ahead, in seconds, are refused. */
export const EVENT_TOLERANCE_S = 300;
/** Header that carries the signature of an event. */
export const SIGNATURE_HEADER = 'stripe-signature';

/** All may reject with PaymentsFailed. Reads of what does not exist reject with code `not_found`. */
export interface Payments extends ConnectedAccounts {
  readonly name: 'builtin' | 'stripe';
  /** No real money moves. */
  readonly testMoney: boolean;
  createCustomer(of: CustomerRequest): Promise<Customer>;
  topUp(of: TopUpRequest): Promise<Checkout>;
  subscribe(of: SubscriptionRequest): Promise<Checkout>;
  checkout(id: string): Promise<Checkout>;
  /** Makes it unpayable; an ended checkout stays as it is. */
  expireCheckout(of: { id: string; key: string }): Promise<void>;
  payment(id: string): Promise<Payment>;
  refund(of: RefundRequest): Promise<Refund>;
  /** A page where the customer sees invoices, changes the plan and cancels. */
  portal(of: { customerId: string; returnUrl: string; key: string }): Promise<{ url: string }>;
  subscription(id: string): Promise<ProcessorSubscription>;
  /**
   * `now`: it ends at once (`prorate`: what is left of the month is credited to the customer); `period_end`:
   * at the end of what is paid; `never`: it continues.
   */
  cancelSubscription(of: { id: string; when: 'now' | 'period_end' | 'never'; prorate?: boolean; key: string }): Promise<ProcessorSubscription>;
  invoice(id: string): Promise<ProcessorInvoice>;
  /** @throws WebhookRefused */
  readEvent(of: WebhookRequest): Promise<PaymentEvent>;
  /** Only for test money: what its pages do. */
  readonly testPages?: TestMoney;
}
