import { afterCommit } from '../../kernel/after-commit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isTransaction } from '../../kernel/tx.ts';

/** After what is under way, the caller's answer. What fails is left out. */
export function later(ctx: Ctx, write: (db: Ctx['db']) => Promise<void>): void {
  const start = (db: Ctx['db']): void => void setImmediate(() => void write(db).catch(() => undefined));
  if (isTransaction(ctx.db)) afterCommit(ctx.db, start);
  else start(ctx.db);
}
