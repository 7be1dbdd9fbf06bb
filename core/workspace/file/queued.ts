// Changes of one bucket wait for each other in the database, each with a connection in its hand. So that one
// user's many changes do not take all connections of a process, they queue up here first.
import type { Ctx, InTx } from '../../kernel/ctx.ts';
import { system } from '../../kernel/act.ts';

const last = new Map<string, Promise<unknown>>();

/** As system, one at a time for a bucket in this process; `act` may open its transaction by it. */
export async function queuedTx<T, C extends Ctx>(ctx: C, bucket: string, work: (ctx: InTx<C>) => Promise<T>): Promise<T> {
  const mine = (last.get(bucket) ?? Promise.resolve()).then(() => system(ctx, work));
  const settled = mine.catch(() => undefined);
  last.set(bucket, settled);
  try {
    return await mine;
  } finally {
    if (last.get(bucket) === settled) last.delete(bucket);
  }
}
