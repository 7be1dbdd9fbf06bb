// The accounts' policies as every process believes them. Which accounts have set one is known whole, and
// looked at again at most once a second for what has changed: a call of an account without a policy costs one
// look into a set.
import type { Knex } from 'knex';
import { processKey } from '../kernel/settings.ts';
import { policyOfRow, type SetPolicy } from './policy.ts';

const BELIEVED_MS = 1_000;
/** A change shows once its transaction has committed, with the time at which it began. */
const OVERLAP_MS = 15_000;
/** Policies kept in memory, the last asked for. */
const MAX_CACHED = 20_000;

class KnownPolicies {
  readonly accounts = new Set<string>();
  readonly #policies = new Map<string, SetPolicy>();
  /** Of a clock that is never set back. */
  #until = 0;
  /** Of the clock of the database, milliseconds. */
  #seen = 0;
  #looking: Promise<void> | undefined;

  /** Those who come while one looks wait for what it finds. */
  async refresh(db: Knex): Promise<void> {
    if (this.#until > performance.now()) return;
    this.#looking ??= this.#look(db).finally(() => (this.#looking = undefined));
    await this.#looking;
  }

  async #look(db: Knex): Promise<void> {
    const until = performance.now() + BELIEVED_MS;
    const rows = await db('control_room_policies')
      .where('changed_at', '>', new Date(Math.max(0, this.#seen - OVERLAP_MS)))
      .select('user_id', 'changed_at');
    for (const { user_id, changed_at } of rows) {
      this.accounts.add(user_id);
      this.#policies.delete(user_id);
      this.#seen = Math.max(this.#seen, changed_at.getTime());
    }
    this.#until = until;
  }

  async of(db: Knex, userId: string): Promise<SetPolicy | undefined> {
    const cached = this.#policies.get(userId);
    if (cached) return cached;
    const row = await db('control_room_policies').where({ user_id: userId }).first();
    if (!row) return undefined;
    const policy = policyOfRow(row);
    const oldest = this.#policies.size >= MAX_CACHED ? this.#policies.keys().next().value : undefined;
    if (oldest !== undefined) this.#policies.delete(oldest);
    this.#policies.set(userId, policy);
    return policy;
  }

  forget(): void {
    this.#until = 0;
  }
}

const known = new WeakMap<object, KnownPolicies>();

function knownOf(db: Knex): KnownPolicies {
  const key = processKey(db);
  const policies = known.get(key) ?? new KnownPolicies();
  known.set(key, policies);
  return policies;
}

/** Whether any account has set a policy. `db` may be a transaction. */
export async function anyPolicies(db: Knex): Promise<boolean> {
  const policies = knownOf(db);
  await policies.refresh(db);
  return policies.accounts.size > 0;
}

/** Undefined: the account has set none. `db` may be a transaction. */
export async function policyOf(db: Knex, userId: string): Promise<SetPolicy | undefined> {
  const policies = knownOf(db);
  await policies.refresh(db);
  return policies.accounts.has(userId) ? policies.of(db, userId) : undefined;
}

/** This process looks again at once: it has changed one. */
export function forgetPolicies(db: Knex): void {
  knownOf(db).forget();
}
