// Work that must wait for the commit (the outbox's fast path), or is the last of its transaction: kept per
// transaction, dropped on rollback.
import type { Knex } from 'knex';

/** Gets the pool: the transaction it was queued in is over. */
type Hook = (db: Knex) => void;
/** In the transaction, after all else that it does. */
type Last = () => Promise<void>;
const hooksOf = new WeakMap<Knex.Transaction, Hook[]>();
const lastOf = new WeakMap<Knex.Transaction, Last[]>();

interface CommitHooks {
  attach: (tx: Knex.Transaction) => void;
  finish: () => Promise<void>;
  run: (db: Knex) => void;
}

export function collectCommitHooks(): CommitHooks {
  const hooks: Hook[] = [];
  const last: Last[] = [];
  return {
    attach: (tx) => {
      hooksOf.set(tx, hooks);
      lastOf.set(tx, last);
    },
    finish: async () => {
      for (const work of last) await work();
    },
    run: (db) => {
      for (const hook of hooks) hook(db);
    },
  };
}

/** Queues `hook` until `tx` has committed. A hook must not throw; durable work belongs in the outbox. */
export function afterCommit(tx: Knex.Transaction, hook: Hook): void {
  const hooks = hooksOf.get(tx);
  if (!hooks) throw new Error('afterCommit needs a transaction opened by inTx');
  hooks.push(hook);
}

/**
 * Queues `work` for the end of `tx`, for locks on rows that many transactions need: others then wait only for
 * the commit, and `work` waits for no other lock while it holds them. An error in it rolls the transaction
 * back.
 */
export function beforeCommit(tx: Knex.Transaction, work: Last): void {
  const last = lastOf.get(tx);
  if (!last) throw new Error('beforeCommit needs a transaction opened by inTx');
  last.push(work);
}
