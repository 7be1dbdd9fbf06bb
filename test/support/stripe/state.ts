// What the test server for Stripe remembers: objects as Stripe shows them, as far as anybody here reads them.
import { randomBytes } from 'node:crypto';

interface Customer {
  id: string;
  object: 'customer';
  email: string | null;
  metadata: Record<string, string>;
  /** Payments of renewals are declined. */
  declines: boolean;
}
export interface Session {
  id: string;
  object: 'checkout.session';
  mode: string;
  url: string | null;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'unpaid' | 'paid';
  client_reference_id: string | null;
  customer: string;
  currency: 'usd';
  amount_total: number;
  total_details: { amount_tax: number };
  payment_intent: string | null;
  subscription: string | null;
  expires_at: number;
  metadata: Record<string, string>;
  /** For what comes of it. */
  wanted: { metadata: Record<string, string>; price: string; unit: number; quantity: number; name: string };
}
interface Charge {
  id: string;
  object: 'charge';
  payment_intent: string;
  amount_refunded: number;
}
interface Intent {
  id: string;
  object: 'payment_intent';
  status: 'succeeded';
  currency: 'usd';
  amount_received: number;
  customer: string;
  metadata: Record<string, string>;
  latest_charge: Charge;
}
interface Dispute {
  id: string;
  object: 'dispute';
  amount: number;
  payment_intent: string;
  status: 'needs_response' | 'won' | 'lost';
}
interface Item {
  price: { id: string };
  quantity: number;
  current_period_start: number;
  current_period_end: number;
}
export interface Subscription {
  id: string;
  object: 'subscription';
  status: 'active' | 'past_due' | 'canceled';
  customer: string;
  metadata: Record<string, string>;
  cancel_at_period_end: boolean;
  cancel_at: number | null;
  start_date: number;
  created: number;
  items: { data: Item[] };
  unit: number;
  name: string;
}
export interface Invoice {
  id: string;
  object: 'invoice';
  number: string;
  customer: string;
  status: 'open' | 'paid' | 'void';
  currency: 'usd';
  total: number;
  amount_paid: number;
  total_taxes: { amount: number }[];
  parent: { subscription_details: { subscription: string } };
  lines: { data: { description: string; amount: number; quantity: number; period: { start: number; end: number } }[] };
  period_start: number;
  period_end: number;
  created: number;
  hosted_invoice_url: string;
  invoice_pdf: string;
}
export interface Account {
  id: string;
  object: 'account';
  details_submitted: boolean;
  payouts_enabled: boolean;
  capabilities: { transfers: 'active' | 'inactive' };
  requirements: { currently_due: string[]; disabled_reason: string | null };
  country: string;
  metadata: Record<string, string>;
}
export interface Transfer {
  id: string;
  object: 'transfer';
  destination: string;
  amount: number;
  amount_reversed: number;
  /** All of it. */
  reversed: boolean;
  transfer_group: string | null;
  metadata: Record<string, string>;
  created: number;
}
/** From an account to its bank. */
interface Payout {
  id: string;
  object: 'payout';
  amount: number;
  currency: string;
  status: 'in_transit' | 'paid' | 'failed';
  failure_code: string | null;
  failure_message: string | null;
  original_payout: null;
  created: number;
  /** Of which account it is; Stripe says it beside the object. */
  account: string;
}
export interface Kinds {
  customer: Customer;
  session: Session;
  intent: Intent;
  dispute: Dispute;
  subscription: Subscription;
  invoice: Invoice;
  account: Account;
  transfer: Transfer;
  payout: Payout;
}
export type Stored = Kinds[keyof Kinds];

/** Stripe's own prefixes. */
const PREFIX: Record<keyof Kinds, string> = {
  customer: 'cus',
  session: 'cs_test',
  intent: 'pi',
  dispute: 'dp',
  subscription: 'sub',
  invoice: 'in',
  account: 'acct',
  transfer: 'tr',
  payout: 'po',
};

export function newStripeId(kind: keyof Kinds): string {
  return made(PREFIX[kind]);
}
export function made(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

export class Unknown extends Error {}

export class State {
  private readonly objects: { [K in keyof Kinds]: Map<string, Kinds[K]> } = {
    customer: new Map(),
    session: new Map(),
    intent: new Map(),
    dispute: new Map(),
    subscription: new Map(),
    invoice: new Map(),
    account: new Map(),
    transfer: new Map(),
    payout: new Map(),
  };

  put<K extends keyof Kinds>(kind: K, object: Kinds[K]): Kinds[K] {
    this.objects[kind].set(object.id, object);
    return object;
  }

  /** @throws Unknown */
  get<K extends keyof Kinds>(kind: K, id: string): Kinds[K] {
    const found = this.objects[kind].get(id);
    if (!found) throw new Unknown(`No such ${kind}: '${id}'`);
    return found;
  }

  all<K extends keyof Kinds>(kind: K): Kinds[K][] {
    return [...this.objects[kind].values()];
  }
}
