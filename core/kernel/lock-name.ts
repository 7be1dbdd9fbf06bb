import type { Knex } from 'knex';

/**
 * Waits until no other transaction holds this name, and holds it until `tx` ends: what two of them must not
 * do at once. The name says of whom.
 */
export async function lockName(tx: Knex, name: string): Promise<void> {
  await tx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);
}
