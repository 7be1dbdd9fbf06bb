// When a credential was last used, as its owner reads it. Written at most once in a while; a request does not
// fail with it.
import type { Knex } from 'knex';

/**
 * Writes `now` (milliseconds) on the row with `key` when what it says is older than `everyMs`. Of requests at
 * the same time one writes.
 */
export async function markUsed(db: Knex, table: string, key: Record<string, string>, now: number, last: Date | null, everyMs = 60_000): Promise<void> {
  const before = new Date(now - everyMs);
  if (last && last >= before) return;
  await db(table)
    .where(key)
    .andWhere((query) => query.whereNull('last_used_at').orWhere('last_used_at', '<', before))
    .update({ last_used_at: new Date(now) })
    .catch(() => undefined);
}
