// Double entry in integer micro-credits, in memory: the ledger of simulated worlds. Its rules are those that
// the database holds the platform's ledger to (core/money/ledger). Amounts are safe integers; a transaction's
// entries sum to zero, so that money is moved and never made.

/** A positive amount is credited to the account, a negative one taken from it. */
export interface Entry<K> {
  account: K;
  amount_micros: number;
}

export type LedgerFault = 'no_entries' | 'not_integer' | 'not_balanced' | 'insufficient_funds' | 'unknown_account' | 'out_of_range';

/** Why these entries are no transaction, whatever the accounts hold. */
export function entriesFault<K>(entries: readonly Entry<K>[]): LedgerFault | undefined {
  if (entries.length === 0) return 'no_entries';
  let sum = 0;
  for (const { amount_micros } of entries) {
    if (!Number.isSafeInteger(amount_micros)) return 'not_integer';
    sum += amount_micros;
    if (!Number.isSafeInteger(sum)) return 'out_of_range';
  }
  return sum === 0 ? undefined : 'not_balanced';
}

/**
 * A share of an amount, rounded down, and the rest: together the amount. `permille`: 0 to 1000; the amount is
 * not negative.
 */
export function splitMicros(amount_micros: number, permille: number): { share: number; rest: number } {
  // By parts, so that no product leaves the safe integers.
  const share = Math.floor(amount_micros / 1000) * permille + Math.floor(((amount_micros % 1000) * permille) / 1000);
  return { share, rest: amount_micros - share };
}

/** Accounts in memory. Those named in `overdraft` stand for the world outside and may be below zero. */
export class Book<K> {
  readonly #balances = new Map<K, number>();
  readonly #overdraft: ReadonlySet<K>;

  constructor(accounts: Iterable<K>, overdraft: Iterable<K>) {
    for (const account of accounts) this.#balances.set(account, 0);
    this.#overdraft = new Set(overdraft);
  }

  /** Posts all entries or none. */
  post(entries: readonly Entry<K>[]): LedgerFault | undefined {
    const fault = entriesFault(entries);
    if (fault !== undefined) return fault;
    for (const [at, { account, amount_micros }] of entries.entries()) {
      const balance = this.#balances.get(account);
      const refused = balance === undefined ? 'unknown_account' : this.#refusal(account, balance + amount_micros);
      if (refused !== undefined) {
        for (const done of entries.slice(0, at)) this.#add(done.account, -done.amount_micros);
        return refused;
      }
      this.#add(account, amount_micros);
    }
    return undefined;
  }

  /** Moves an amount that is not negative. */
  move(from: K, to: K, amount_micros: number): LedgerFault | undefined {
    return this.post([
      { account: from, amount_micros: -amount_micros },
      { account: to, amount_micros },
    ]);
  }

  balance(account: K): number {
    return this.#balances.get(account) ?? 0;
  }

  /** An account below zero that must not be. */
  overdrawn(): K | undefined {
    for (const [account, balance] of this.#balances) if (balance < 0 && !this.#overdraft.has(account)) return account;
    return undefined;
  }

  /** Zero, whatever was posted. */
  total(): number {
    let sum = 0;
    for (const balance of this.#balances.values()) sum += balance;
    return sum;
  }

  #refusal(account: K, after: number): LedgerFault | undefined {
    if (!Number.isSafeInteger(after)) return 'out_of_range';
    return after < 0 && !this.#overdraft.has(account) ? 'insufficient_funds' : undefined;
  }

  #add(account: K, amount: number): void {
    this.#balances.set(account, (this.#balances.get(account) ?? 0) + amount);
  }
}
