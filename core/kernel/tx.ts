// One transaction per verb. Inside, the context carries the transaction, so nested verbs join it.
import type { Knex } from 'knex';
import type { Ctx, InTx } from './ctx.ts';
import { collectCommitHooks } from './after-commit.ts';
import { withAnswers } from './outside-tx.ts';
import { runQueues } from './run-queues.ts';

/**
 * Runs `work` in a transaction (or joins the one `ctx` is in), with a context whose database is that
 * transaction: callbacks name it `ctx`, too, so that there is no second one to mistake it for. What was
 * queued with `afterCommit` runs once it has committed. Transactions of one run follow each other, before
 * they take a connection: they wait for its row anyway. `work` begins again where it needs what is never
 * waited for inside (outside-tx.ts): it changes nothing but the database.
 * @throws TooManyRequests run_busy, only to runs
 */
export async function inTx<T, C extends Ctx>(ctx: C, work: (ctx: InTx<C>) => Promise<T>): Promise<T> {
  if (isTransaction(ctx.db)) return work({ ...ctx, db: ctx.db });
  return inRunQueue(ctx, () => newTx(ctx, work));
}

/**
 * `work`, a statement of its own, takes its turn as a transaction of its run would.
 * @throws TooManyRequests run_busy, only to runs
 */
export async function inRunQueue<T>({ actor, db }: Ctx, work: () => Promise<T>): Promise<T> {
  if (actor.kind !== 'run') return work();
  return runQueues(db).change.run({ tenant: actor.owner_id, run: actor.run_id }, work);
}

async function newTx<T, C extends Ctx>(ctx: C, work: (ctx: InTx<C>) => Promise<T>): Promise<T> {
  const { hooks, result } = await withAnswers(async (check) => {
    const hooks = collectCommitHooks();
    const result = await ctx.db.transaction(async (tx) => {
      hooks.attach(tx);
      const done = await work({ ...ctx, db: tx });
      check();
      await hooks.finish();
      return done;
    });
    return { hooks, result };
  });
  hooks.run(ctx.db);
  return result;
}

/** The same for what knows a database only: runs `work` in the transaction `db` is, or in one of its own. */
export async function joinTx<T>(db: Knex, work: (tx: Knex) => Promise<T>): Promise<T> {
  return isTransaction(db) ? work(db) : db.transaction((tx) => work(tx));
}

export function isTransaction(db: Knex): db is Knex.Transaction {
  return db.isTransaction === true;
}
