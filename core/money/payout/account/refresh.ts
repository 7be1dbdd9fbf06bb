// What the processor knows of creators' accounts, read again: events may be lost, late or doubled. Each
// account counts its writes, so that what was read before another wrote is not written.
import type { Knex } from 'knex';
import type { BankPayout, ConnectedAccount } from '#drivers/payments/payouts-port.ts';
import type { Payments } from '#drivers/payments/port.ts';
import type { PayoutAccountsRow } from '#db/tables.ts';
import { system } from '../../../kernel/act.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import type { Follower } from '../../processor/follow.ts';
import { addNotice } from '../notices.ts';

const AT_ONCE = 50;
/** Those that cannot be paid yet are asked about this often, the others once a day. */
const PENDING_MS = 300_000;
const DAY_MS = 86_400_000;

export interface PayoutAccountSnapshot {
  account: ConnectedAccount;
  /** Undefined: not looked at. */
  bank?: BankPayout | null;
}

/**
 * For events of the processor: one of these accounts has changed there, or its bank took or refused money.
 */
export const followPayoutAccount: Follower = async (ctx, payments, id) => {
  const row = await ctx.db('payout_accounts').where({ processor_id: id }).first();
  if (!row) return undefined;
  const seen = await readPayoutAccount(payments, id);
  return { write: ({ clock, db }) => store(db, clock, row, seen) };
};

export async function readPayoutAccount(payments: Payments, id: string): Promise<PayoutAccountSnapshot> {
  const [account, bank] = await Promise.all([payments.account(id), payments.bankPayout(id)]);
  return { account, bank };
}

export async function refreshAccounts(ctx: Ctx): Promise<void> {
  const { payments } = ctx.drivers;
  if (!payments) return;
  const before = (ms: number): Date => new Date(ctx.clock() - ms);
  const due = await ctx
    .db('payout_accounts')
    .whereNotNull('processor_id')
    .whereRaw('checked_at < case when payouts_enabled then :day::timestamptz else :pending::timestamptz end', {
      day: before(DAY_MS),
      pending: before(PENDING_MS),
    })
    .orderBy('checked_at')
    .limit(AT_ONCE);
  for (const row of due) {
    const { user_id, processor_id } = row;
    const seen = processor_id === null ? undefined : await readPayoutAccount(payments, processor_id).catch(() => undefined);
    if (seen) await storeNow(ctx, row, seen);
    else
      await ctx
        .db('payout_accounts')
        .where({ user_id })
        .update({ checked_at: new Date(ctx.clock()) });
  }
}

/** What the processor says of the account, whoever asked, in a transaction of its own; see store. */
export async function storeNow(ctx: Ctx, before: PayoutAccountsRow, seen: PayoutAccountSnapshot): Promise<boolean> {
  return system(ctx, ({ clock, db }) => store(db, clock, before, seen));
}

/** False: another has written since `before` was read, which was before the processor was asked. */
async function store(tx: Knex, clock: () => number, before: PayoutAccountsRow, { account, bank }: PayoutAccountSnapshot): Promise<boolean> {
  const { user_id, revision } = before;
  const at = new Date(clock());
  const after = rowOf(account);
  const written = await tx('payout_accounts')
    .where({ user_id, revision })
    .update({ processor_id: account.id, ...after, ...bankOf(bank), checked_at: at, revision: revision + 1 });
  if (written === 0) return false;
  if (before.payouts_enabled && !after.payouts_enabled)
    await addNotice(tx, {
      user_id,
      kind: 'account_restricted',
      subject: String(revision + 1),
      details: { reason: after.disabled_reason, requirements: after.requirements },
      at,
    });
  if (bank?.state === 'failed' && !(before.bank_payout_id === bank.id && before.bank_state === 'failed'))
    await addNotice(tx, {
      user_id,
      kind: 'bank_refused',
      subject: bank.id,
      details: { amount: bank.amount, currency: bank.currency, message: bank.failure?.message ?? '' },
      at,
    });
  return true;
}

export type PayoutAccountColumns = Pick<
  PayoutAccountsRow,
  | 'processor_id'
  | 'details_submitted'
  | 'payouts_enabled'
  | 'requirements'
  | 'disabled_reason'
  | 'bank_payout_id'
  | 'bank_state'
  | 'bank_amount'
  | 'bank_currency'
  | 'bank_failure'
  | 'bank_at'
>;

function rowOf({ detailsSubmitted, payoutsEnabled, requirements, disabledReason }: ConnectedAccount) {
  return { details_submitted: detailsSubmitted, payouts_enabled: payoutsEnabled, requirements: [...requirements], disabled_reason: disabledReason };
}

function bankOf(bank: BankPayout | null | undefined) {
  if (bank === undefined) return {};
  if (bank === null) return { bank_payout_id: null, bank_state: null, bank_amount: null, bank_currency: null, bank_failure: null, bank_at: null };
  const failure = bank.state === 'failed' && bank.failure ? JSON.stringify(bank.failure) : null;
  return {
    bank_payout_id: bank.id,
    bank_state: bank.state,
    bank_amount: bank.amount,
    bank_currency: bank.currency,
    bank_failure: failure,
    bank_at: new Date(bank.createdAt),
  };
}
