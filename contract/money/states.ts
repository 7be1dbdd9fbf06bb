// States and kinds of the ledger, plans, invoices and payouts.

/**
 * Of an account of the ledger: a user's credits; what a creator has earned; the platform's share; money from
 * outside; credits that were given; a bounty's; what was taken back of money that was spent; what creators
 * were paid.
 */
export const LEDGER_ACCOUNT_KINDS = ['wallet', 'earnings', 'fees', 'funding', 'promotion', 'escrow', 'losses', 'payouts'] as const;
export type LedgerAccountKind = (typeof LEDGER_ACCOUNT_KINDS)[number];
export const LEDGER_TRANSACTION_KINDS = [
  'top_up',
  'promotion',
  'charge',
  'escrow',
  'reversal',
  'refund',
  'restore',
  'recovery',
  'payout',
  'payout_return',
] as const;
export type LedgerTransactionKind = (typeof LEDGER_TRANSACTION_KINDS)[number];
/** Of a bounty; the last two are final. */
export const BOUNTY_STATES = ['open', 'claimed', 'fulfilled', 'cancelled'] as const;
export type BountyState = (typeof BOUNTY_STATES)[number];
export const LEDGER_HOLD_STATES = ['open', 'settled', 'released'] as const;
export const PAYMENT_PROCESSORS = ['builtin', 'stripe'] as const;
/** The last two are final, but what is paid may be taken back. */
export const TOP_UP_STATES = ['open', 'paid', 'expired'] as const;
/** The last is final. */
export const SUBSCRIPTION_STATES = ['incomplete', 'active', 'past_due', 'cancelled'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];
/** Why a subscription has to end at the processor. */
export const SUBSCRIPTION_ENDS = ['unpaid', 'duplicate', 'purged'] as const;
export const INVOICE_KINDS = ['subscription', 'usage'] as const;
export const INVOICE_STATES = ['open', 'paid', 'void', 'uncollectible'] as const;
export const TEST_MONEY_KINDS = ['customer', 'checkout', 'payment', 'subscription', 'invoice', 'portal', 'account', 'transfer'] as const;
/** Of what a call of a skill with a price costs. */
export const CHARGE_STATES = ['held', 'settled', 'released'] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];
/** What was spent of a wallet: a call, a bounty's reward, anything else. */
export const PAYOUT_SPEND_KINDS = ['charge', 'reward', 'other'] as const;
/**
 * Of a line of payouts: a call with its receipt, a reward, a correction of a line that was paid, cents that a
 * run left, money of a transfer that came back.
 */
export const PAYOUT_LINE_KINDS = ['receipt', 'bounty', 'adjustment', 'carry', 'returned'] as const;
/** Its moves: core/money/payout/states.ts. */
export const PAYOUT_LINE_STATES = ['accrued', 'held', 'owed', 'in_run', 'paid', 'failed', 'cancelled'] as const;
/**
 * Why a line is not what its charge said: the call did not end well; its payer got the money back; the payer
 * paid after all; what is less than a cent; what was sent came back from the payment processor.
 */
export const PAYOUT_LINE_REASONS = ['not_ok', 'reversed', 'restored', 'rounding', 'transfer_reversed'] as const;
export const PAYOUT_RUN_STATES = ['running', 'ended'] as const;
/** What one run pays one creator. */
export const PAYOUT_TRANSFER_STATES = ['pending', 'paid', 'failed'] as const;
/**
 * Of what the payment processor sends to a creator's bank. `cancelled`: before it was there. One that is paid
 * may fail later.
 */
export const BANK_PAYOUT_STATES = ['on_its_way', 'paid', 'failed', 'cancelled'] as const;
export type BankPayoutState = (typeof BANK_PAYOUT_STATES)[number];
/** What creators are told of by mail. */
export const PAYOUT_NOTICE_KINDS = ['transfer_reversed', 'bank_refused', 'account_restricted'] as const;
export type PayoutNoticeKind = (typeof PAYOUT_NOTICE_KINDS)[number];
