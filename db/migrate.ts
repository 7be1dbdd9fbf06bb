// Runs the migrations in db/migrations, in order, once each; safe to run from several processes at once (knex takes a lock).
import { fileURLToPath } from 'node:url';
import { createPool } from './pool.ts';

export const migrationConfig = {
  directory: fileURLToPath(new URL('./migrations', import.meta.url)),
  loadExtensions: ['.ts'],
  extension: 'ts',
};

/** Resolves with the names of the migrations that ran now. */
export async function migrate(connectionString: string): Promise<string[]> {
  const db = createPool({ connectionString, max: 2, applicationName: 'svc-migrate' });
  try {
    const [, ran] = await db.migrate.latest(migrationConfig);
    return ran;
  } finally {
    await db.destroy();
  }
}
