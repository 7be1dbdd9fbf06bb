// The page of a creator's account of test money: what a person, their bank and the processor's operators do
// there.
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { BankPayout, ConnectedAccount, TransferReversal } from '../payouts-port.ts';
import { PaymentsFailed, refusedBy } from '../port.ts';
import type { AccountFilling, TestMoney } from '../test-money.ts';
import { all, change, emit, find, newObjectId } from './store.ts';

export type AccountPages = Pick<TestMoney, 'accountPage' | 'fillAccount' | 'takeBackTransfer' | 'payOut'>;

const FILLED: Record<AccountFilling, Pick<ConnectedAccount, 'payoutsEnabled' | 'requirements' | 'disabledReason'>> = {
  complete: { payoutsEnabled: true, requirements: [], disabledReason: null },
  refuse: { payoutsEnabled: false, requirements: [], disabledReason: 'rejected.other' },
  restrict: { payoutsEnabled: false, requirements: ['individual.verification.document'], disabledReason: 'requirements.past_due' },
};

export function accountPages(db: Knex, clock: () => number): AccountPages {
  return {
    async accountPage(id) {
      const account = await find(db, 'account', id);
      const transfers = await all(db, 'transfer', account.reference ?? '');
      return { ...account, bankPayout: account.bankPayout ?? null, transfers: transfers.filter(({ destination }) => destination === id) };
    },
    fillAccount: (id, how) =>
      db.transaction(async (tx) => {
        const before = await find(tx, 'account', id, { lock: true });
        await change(tx, 'account', { ...before, detailsSubmitted: true, ...FILLED[how] });
        await emit(tx, 'account.updated', { kind: 'connected_account', id }, clock());
      }),
    takeBackTransfer: (id, transferId, cents) =>
      db.transaction(async (tx) => {
        const { destination } = await find(tx, 'transfer', transferId);
        if (destination !== id) throw new PaymentsFailed('There is no transfer of this id', { retry: false, code: 'not_found' });
        await reverse(tx, { transferId, ...(cents !== undefined && { cents }) }, clock());
      }),
    payOut: (id, how) =>
      db.transaction(async (tx) => {
        const account = await find(tx, 'account', id, { lock: true });
        const transfers = await all(tx, 'transfer', account.reference ?? '');
        const cents = transfers.reduce((sum, one) => sum + (one.destination === id ? one.cents - one.reversedCents : 0), 0);
        if (cents === 0) throw refusedBy('insufficient_funds', 'The account has nothing to pay out');
        await change(tx, 'account', { ...account, bankPayout: next(account.bankPayout, how, cents, clock()) });
        await emit(tx, `payout.${how}`, { kind: 'connected_account', id }, clock());
      }),
  };
}

/** As Stripe names it. */
const BANK_ACCOUNT_CLOSED = 'account_closed';

function next(before: BankPayout | undefined, how: 'paid' | 'failed', cents: number, now: number): BankPayout {
  const failure = how === 'failed' ? { code: BANK_ACCOUNT_CLOSED, message: 'The bank account has been closed' } : null;
  // A bank may refuse days after it seemed to take it.
  if (how === 'failed' && before?.state === 'paid') return { ...before, state: how, failure };
  return { id: `tbnk_${randomBytes(16).toString('hex')}`, amount: cents, currency: 'usd', state: how, failure, createdAt: now };
}

export async function reverse(tx: Knex, of: { transferId: string; cents?: number }, now: number): Promise<TransferReversal> {
  const transfer = await find(tx, 'transfer', of.transferId, { lock: true });
  const left = transfer.cents - transfer.reversedCents;
  const cents = of.cents ?? left;
  if (cents <= 0 || cents > left) throw refusedBy('amount_too_large', 'The transfer has less left than that');
  await change(tx, 'transfer', { ...transfer, reversedCents: transfer.reversedCents + cents });
  await emit(tx, 'transfer.reversed', { kind: 'transfer', id: transfer.id }, now);
  return { id: newObjectId('transfer').replace('ttrf', 'ttrr'), transferId: transfer.id, cents };
}
