// Money of a top-up after it was paid: taken back by refunds and disputes, given back when a dispute is won.
// What the wallet does not cover any more the platform carries in `losses`, and the wallet owes it.
import type { Knex } from 'knex';
import { accountOf, platformAccount } from '../ledger/accounts.ts';
import { type Line, post } from '../ledger/post.ts';

export interface WalletAccounts {
  wallet: string;
  funding: string;
  losses: string;
}

export interface Move {
  topUpId: string;
  /** Of the top-up, from 1. */
  number: number;
  /** Above zero. */
  micros: number;
  at: number;
}

interface Wallet {
  balance_micros: number;
  held_micros: number;
  owed_micros: number;
  version: number;
}

/** All accounts that a top-up may move, locked in the order of their ids as every posting locks them. */
export async function lockAccounts(tx: Knex.Transaction, userId: string, topUpId: string): Promise<WalletAccounts> {
  const accounts = {
    wallet: await accountOf(tx, 'wallet', userId),
    funding: await platformAccount(tx, 'funding', topUpId),
    losses: await platformAccount(tx, 'losses', userId),
  };
  await tx('ledger_accounts').whereIn('account_id', Object.values(accounts)).orderBy('account_id').forUpdate().select('account_id');
  return accounts;
}

async function walletOf(tx: Knex.Transaction, account_id: string): Promise<Wallet> {
  const row = await tx('ledger_accounts').where({ account_id }).first('balance_micros', 'held_micros', 'owed_micros', 'version');
  if (!row) throw new Error('a wallet that was opened is gone');
  return row;
}

export async function takeBack(tx: Knex.Transaction, { wallet, funding, losses }: WalletAccounts, { topUpId, number, micros, at }: Move): Promise<void> {
  const { balance_micros, held_micros } = await walletOf(tx, wallet);
  const covered = Math.max(0, Math.min(balance_micros - held_micros, micros));
  const lost = micros - covered;
  const lines = [line(funding, micros), line(wallet, -covered), line(losses, -lost)];
  await post(tx, { key: `refund:${topUpId}:${number}`, kind: 'refund', lines: moved(lines), refs: { top_up_id: topUpId }, at });
  await owe(tx, wallet, lost);
}

export async function giveBack(tx: Knex.Transaction, { wallet, funding, losses }: WalletAccounts, { topUpId, number, micros, at }: Move): Promise<void> {
  const { owed_micros } = await walletOf(tx, wallet);
  const paid = Math.min(owed_micros, micros);
  const lines = [line(funding, -micros), line(losses, paid), line(wallet, micros - paid)];
  await post(tx, { key: `restore:${topUpId}:${number}`, kind: 'restore', lines: moved(lines), refs: { top_up_id: topUpId }, at });
  await owe(tx, wallet, -paid);
}

/** Pays what the wallet owes with what it has now. */
export async function recover(tx: Knex.Transaction, { wallet, losses }: Omit<WalletAccounts, 'funding'>, at: number): Promise<void> {
  const { balance_micros, held_micros, owed_micros, version } = await walletOf(tx, wallet);
  const paid = Math.min(owed_micros, balance_micros - held_micros);
  if (paid <= 0) return;
  // The wallet is locked: its version tells recoveries apart.
  await post(tx, { key: `recovery:${wallet}:${version}`, kind: 'recovery', lines: [line(wallet, -paid), line(losses, paid)], refs: {}, at });
  await owe(tx, wallet, -paid);
}

async function owe(tx: Knex.Transaction, account_id: string, micros: number): Promise<void> {
  if (micros !== 0) await tx('ledger_accounts').where({ account_id }).increment('owed_micros', micros);
}

function line(accountId: string, micros: number): Line {
  return { accountId, micros };
}
function moved(lines: readonly Line[]): Line[] {
  return lines.filter(({ micros }) => micros !== 0);
}
