// What the processor for test money has beside the port: what its pages do, its clock, and the events that it
// has to deliver.
import type { Checkout, Payment, PlanPrice, ProcessorInvoice, ProcessorSubscription, SubjectKind } from './port.ts';
import type { BankPayout, ConnectedAccount, Transfer } from './payouts-port.ts';

export interface CheckoutPage extends Checkout {
  /** Of our account that pays. */
  accountId: string;
  text: string;
  seats: number;
  successUrl: string;
  cancelUrl: string;
}

export interface PortalPage {
  id: string;
  accountId: string;
  returnUrl: string;
  /** Payments of renewals are declined until this is changed. */
  cardDeclines: boolean;
  subscriptions: readonly ProcessorSubscription[];
  invoices: readonly ProcessorInvoice[];
  payments: readonly Payment[];
}

interface AccountPage extends ConnectedAccount {
  /** The newest 100, newest first. */
  transfers: readonly Transfer[];
  bankPayout: BankPayout | null;
}
/** `restrict`: disables its payouts. */
export type AccountFilling = 'complete' | 'refuse' | 'restrict';

interface DueEvent {
  id: string;
  raw: Buffer;
  signature: string;
}

/**
 * Pages ask by ids that only who was sent there knows; whose they are, the caller compares. All reject with
 * PaymentsFailed not_found where there is none.
 */
export interface TestMoney {
  checkoutPage(id: string): Promise<CheckoutPage>;
  /** A decline leaves it open, as a card that is refused does. */
  finishCheckout(id: string, how: 'pay' | 'decline' | 'cancel'): Promise<CheckoutPage>;
  portalPage(id: string): Promise<PortalPage>;
  setCardDeclines(portalId: string, declines: boolean): Promise<void>;
  changePlan(portalId: string, subscriptionId: string, to: PlanPrice, seats: number): Promise<void>;
  cancelAtPeriodEnd(portalId: string, subscriptionId: string, cancel: boolean): Promise<void>;
  payInvoice(portalId: string, invoiceId: string): Promise<void>;
  /** What a bank of the payer may do. */
  takeBack(portalId: string, paymentId: string, how: 'refund' | 'dispute' | 'dispute_won' | 'dispute_lost'): Promise<void>;
  accountPage(id: string): Promise<AccountPage>;
  fillAccount(id: string, how: AccountFilling): Promise<void>;
  /** What an operator of the processor may do. Absent cents: all that is left. */
  takeBackTransfer(accountId: string, transferId: string, cents?: number): Promise<void>;
  /**
   * Sends what the account has to its bank, which takes or refuses it. One that was taken can be refused
   * later.
   */
  payOut(accountId: string, how: 'paid' | 'failed'): Promise<void>;
  /** Renews, or ends, what is due by now; retries nothing. */
  tick(now: number): Promise<void>;
  /** An event of any kind, as the processor would send it again. */
  emit(type: string, about: { kind: SubjectKind; id: string }): Promise<void>;
  due(now: number, limit: number): Promise<DueEvent[]>;
  delivered(eventId: string): Promise<void>;
  /** It comes again, later each time. */
  failed(eventId: string, now: number): Promise<void>;
  /** Forgets answers and delivered events older than a month. */
  sweep(now: number): Promise<void>;
}
