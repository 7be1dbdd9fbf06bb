// Work that must wait for the commit (the outbox's fast path): kept per transaction, dropped on rollback.
import type { Knex } from 'knex';

/** Gets the pool: the transaction it was queued in is over. */
type Hook = (db: Knex) => void;
const hooksOf = new WeakMap<Knex.Transaction, Hook[]>();

export function collectCommitHooks(): { attach: (tx: Knex.Transaction) => void; run: (db: Knex) => void } {
  const hooks: Hook[] = [];
  return {
    attach: (tx) => void hooksOf.set(tx, hooks),
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
