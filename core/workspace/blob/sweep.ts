// Deletes unreferenced contents a day after their last use.
import type { Ctx } from '../../kernel/ctx.ts';
import { UNREFERENCED } from './references.ts';
import { blobKey } from './store.ts';

const RETENTION_MS = 24 * 3_600_000;
/** A pass is bounded; the next one continues. */
const BATCH = 500;

/** Resolves with how many went. */
export async function sweepBlobs(ctx: Ctx): Promise<number> {
  const before = new Date(ctx.clock() - RETENTION_MS);
  const { rows } = await ctx.db.raw<{ rows: { sha256: string }[] }>(
    `select b.sha256 from blobs b where b.used_at < :before and ${UNREFERENCED} order by b.used_at limit ${BATCH}`,
    { before },
  );
  let swept = 0;
  for (const { sha256 } of rows) if (await sweepOne(ctx, sha256, before)) swept += 1;
  return swept;
}

/**
 * The object goes while the row's deletion holds the row: who stores the same content meanwhile waits, and
 * then stores it anew.
 */
async function sweepOne(ctx: Ctx, sha256: string, before: Date): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const { rows } = await tx.raw<{ rows: unknown[] }>(
      `delete from blobs b where b.sha256 = :sha256 and b.used_at < :before and ${UNREFERENCED} returning b.sha256`,
      { sha256, before },
    );
    if (rows.length === 0) return false;
    await ctx.drivers.storage.delete(blobKey(sha256));
    return true;
  });
}
