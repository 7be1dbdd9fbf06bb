// One transaction per verb. Inside, the context carries the transaction, so nested verbs join it.
import type { Knex } from 'knex';
import type { Ctx, TxCtx } from './ctx.ts';
import { afterCommit, collectCommitHooks } from './after-commit.ts';

/** Runs `work` in a transaction (or joins the one `ctx` is in); what was queued with `afterCommit` runs once it has committed. */
export async function inTx<T>(ctx: Ctx, work: (tx: Knex.Transaction, ctx: TxCtx) => Promise<T>): Promise<T> {
  if (isTransaction(ctx.db)) return work(ctx.db, { ...ctx, db: ctx.db });
  const hooks = collectCommitHooks();
  const result = await ctx.db.transaction((tx) => {
    hooks.attach(tx);
    return work(tx, { ...ctx, db: tx });
  });
  hooks.run(ctx.db);
  return result;
}

export { afterCommit };

function isTransaction(db: Knex): db is Knex.Transaction {
  return db.isTransaction === true;
}
