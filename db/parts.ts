// A migration of several parts, each a file with the SQL that makes something and the SQL that takes it back.
import type { Knex } from 'knex';

export interface Part {
  up: string;
  down: string;
}

/** Parts are made in their order and taken back in reverse. */
export function migrationOf(...parts: readonly Part[]) {
  const run = (sql: readonly string[]) => async (db: Knex) => void (await db.raw(sql.join('')));
  return { up: run(parts.map(({ up }) => up)), down: run(parts.toReversed().map(({ down }) => down)) };
}
