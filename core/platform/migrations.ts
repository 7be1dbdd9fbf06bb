// Whether the database has the form that this code expects.
import type { Knex } from 'knex';
import { migrationConfig } from '#db/migrate.ts';

/** How many migrations have not run yet. */
export async function pendingMigrations(db: Knex): Promise<number> {
  const [, pending] = await listed(db);
  return pending.length;
}

// Safe: knex documents migrate.list() as [completed, pending]; its types say any.
async function listed(db: Knex): Promise<[unknown[], unknown[]]> {
  return (await db.migrate.list(migrationConfig)) as [unknown[], unknown[]];
}
