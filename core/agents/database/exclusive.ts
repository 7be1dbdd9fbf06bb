// Work on the server for one project is done by one process at a time: what is dropped is not made again by a
// step that was late.
import type { Ctx } from '../../kernel/ctx.ts';
import type { DatabaseServer } from '#drivers/databases/port.ts';

const LOCK_SPACE = 7_370_001;

/** @throws where this process has no server: another worker may */
export function requireDatabaseServer({ drivers }: Pick<Ctx, 'drivers'>): DatabaseServer {
  if (!drivers.databases) throw new Error('this worker has no server for databases: set SVC_DATABASES_URL');
  return drivers.databases;
}

/** Each holds a connection while its work takes others: all at once they would wait for each other. */
const AT_ONCE = 3;
const waiting: (() => void)[] = [];
let under = 0;

export async function exclusively<T>({ db }: Pick<Ctx, 'db'>, projectId: string, work: () => Promise<T>): Promise<T> {
  if (under >= AT_ONCE) await new Promise<void>((go) => waiting.push(go));
  else under += 1;
  try {
    return await db.transaction(async (tx) => {
      await tx.raw('select pg_advisory_xact_lock(?, hashtext(?))', [LOCK_SPACE, projectId]);
      return work();
    });
  } finally {
    // Who waits takes the place over.
    const next = waiting.shift();
    if (next) next();
    else under -= 1;
  }
}
