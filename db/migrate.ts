// Runs the migrations in db/migrations, in order, once each; safe to run from several processes at once, and after one was killed.
import { fileURLToPath } from 'node:url';
import { createPool } from './pool.ts';

export const migrationConfig = {
  directory: fileURLToPath(new URL('./migrations', import.meta.url)),
  loadExtensions: ['.ts'],
  extension: 'ts',
};

const advisoryLock = 5_620_311;

/** Resolves with the names of the migrations that ran now. */
export async function migrate(connectionString: string): Promise<string[]> {
  const db = createPool({ connectionString, max: 4, applicationName: 'svc-migrate' });
  try {
    return await db.transaction(async (guard) => {
      // PostgreSQL frees this lock with its connection. Knex's own is a row that a killed process leaves behind: under ours it can only be stale.
      await guard.raw('select pg_advisory_xact_lock(?)', [advisoryLock]);
      await db.migrate.forceFreeMigrationsLock(migrationConfig);
      const [, ran] = await db.migrate.latest(migrationConfig);
      return ran;
    });
  } finally {
    await db.destroy();
  }
}
