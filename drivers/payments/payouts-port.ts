// The part of a payment processor that pays creators: an account of theirs at the processor, and transfers to
// it. Amounts are whole US cents.
import type { BankPayoutState } from '#contract/states.ts';

export interface ConnectedAccount {
  id: string;
  /** Of our account, as it was made for. */
  reference: string | null;
  /** The person filled in what the processor asks. */
  detailsSubmitted: boolean;
  /** The processor knows enough of the person to take transfers and pay them out. */
  payoutsEnabled: boolean;
  /** What the processor still asks for, in its words. */
  requirements: readonly string[];
  /** Why the processor pays nothing, in its words; null: it does, or was not asked yet. */
  disabledReason: string | null;
  country: string | null;
}

interface ConnectedAccountRequest {
  /** Of the account that is paid. */
  accountId: string;
  email: string;
  /** ISO 3166-1 alpha-2; absent: the processor asks the person. */
  country?: string;
  key: string;
}

export interface TransferRequest {
  /** Connected account. */
  destination: string;
  /** Above zero. */
  cents: number;
  /** What belongs together at the processor: the payout run's id. */
  group: string;
  /** Of our record: the payout line's id; comes back with the transfer. */
  reference: string;
  key: string;
}

export interface Transfer {
  id: string;
  destination: string;
  cents: number;
  reversedCents: number;
  group: string | null;
  reference: string | null;
  createdAt: number;
}

export interface TransferReversal {
  id: string;
  transferId: string;
  cents: number;
}

/**
 * What the processor sent from the creator's account there to the creator's bank: of all transfers to it, on
 * a day that the processor chooses.
 */
export interface BankPayout {
  id: string;
  /** In the smallest unit of the currency. */
  amount: number;
  /** ISO 4217, in small letters; the bank's. */
  currency: string;
  state: BankPayoutState;
  /** Why the bank refused, in the processor's words. */
  failure: { code: string; message: string } | null;
  createdAt: number;
}

export interface ConnectedAccounts {
  createAccount(of: ConnectedAccountRequest): Promise<ConnectedAccount>;
  account(id: string): Promise<ConnectedAccount>;
  /** The newest; null: there is none. */
  bankPayout(accountId: string): Promise<BankPayout | null>;
  /** A page of the processor where the person says who they are and where money goes; good for one visit. */
  accountLink(of: { accountId: string; returnUrl: string; refreshUrl: string; key: string }): Promise<{ url: string; expiresAt: number }>;
  transfer(of: TransferRequest): Promise<Transfer>;
  readTransfer(id: string): Promise<Transfer>;
  /** Absent cents: all that is left. */
  reverseTransfer(of: { transferId: string; cents?: number; key: string }): Promise<TransferReversal>;
}
