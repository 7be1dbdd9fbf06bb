// Posting: a transaction's entries in one statement, once for its key. The database refuses what does not sum
// to zero and what no balance covers.
import type { Knex } from 'knex';
import type { LedgerTransactionKind } from '#contract/states.ts';
import { PaymentRequired } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';

export interface Line {
  accountId: string;
  /** Micro-credits: what comes in is positive. */
  micros: number;
}

export interface Posting {
  /** What it is done for, `charge:rcp_…`: the same key is posted once. */
  key: string;
  kind: Exclude<LedgerTransactionKind, 'reversal'>;
  /** One for each account; they sum to zero. */
  lines: readonly Line[];
  /** Ids of what it is about. No personal data: it stays when an account is purged. */
  refs: Record<string, string>;
  at: number;
}

/**
 * Whether it was posted now; false: its key was. @throws PaymentRequired insufficient_credits; Error where
 * the key was used for other entries
 */
export async function post(db: Knex, posting: Posting): Promise<boolean> {
  return postAs(db, { ...posting, reverses: null });
}

/**
 * Posts the opposite of a transaction, once. @throws Error where there is none; PaymentRequired
 * insufficient_credits: what it gave was spent
 */
export async function reverse(db: Knex, { key, refs, at }: Pick<Posting, 'key' | 'refs' | 'at'>): Promise<boolean> {
  const entries = await db('ledger_entries as e')
    .join('ledger_transactions as t', 't.transaction_id', 'e.transaction_id')
    .where({ 't.key': key })
    .select('e.account_id', 'e.amount_micros', 't.transaction_id');
  const [first] = entries;
  if (!first) throw new Error(`there is no transaction ${key} to reverse`);
  const lines = entries.map(({ account_id, amount_micros }) => ({ accountId: account_id, micros: -amount_micros }));
  return postAs(db, { key: `reversal:${key}`, kind: 'reversal', lines, refs, at, reverses: first.transaction_id });
}

type Any = Omit<Posting, 'kind'> & { kind: LedgerTransactionKind; reverses: string | null };

async function postAs(db: Knex, posting: Any): Promise<boolean> {
  const bindings = { ...bindingsOf(posting), reverses: posting.reverses };
  const sql = 'select ledger_post(:id, :key, :kind, :reverses, :refs, :at, :accounts, :amounts) as posted';
  const { rows } = await covered(db.raw<{ rows: [{ posted: boolean }] }>(sql, bindings).options({ name: 'ledger_post' }));
  return rows[0].posted;
}

export function bindingsOf({ key, kind, lines, refs, at }: Omit<Any, 'reverses'>) {
  return {
    id: newId('ltx', at),
    key,
    kind,
    refs: JSON.stringify(refs),
    at: new Date(at),
    accounts: lines.map(({ accountId }) => accountId),
    amounts: lines.map(({ micros }) => micros),
  };
}

/**
 * @throws PaymentRequired insufficient_credits where the database says that no balance covers it;
 * wallet_blocked where the wallet owes
 */
export async function covered<T>(work: PromiseLike<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { constraint } = Object(error);
    if (constraint === 'ledger_accounts_blocked')
      throw new PaymentRequired('wallet_blocked', 'A payment was taken back after its credits were spent: add credits to pay what is owed (svc credits buy)');
    if (constraint !== 'ledger_accounts_covered') throw error;
    throw new PaymentRequired('insufficient_credits', 'The credits of the account do not cover this: add credits, then try again');
  }
}
