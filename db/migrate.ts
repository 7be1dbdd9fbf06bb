// Brings a database to the schema of this program: migrations of db/migrations in the order of their numbers,
// once each. Safe to run from several processes at once, and after one was killed.
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { DATED_MIGRATIONS } from './dated-migrations.ts';
import { createPool } from './pool.ts';

export const migrationConfig = {
  directory: fileURLToPath(new URL('./migrations', import.meta.url)),
  loadExtensions: ['.ts'],
  extension: 'ts',
};

/** The last of the files that make the schema of the dated migrations. */
export const LAST_BASELINE = '0019_platform.ts';

const advisoryLock = 5_620_311;

/** A database that this program must not touch. The message is one line and says what to do. */
export class SchemaRefused extends Error {}

/** Resolves with the names of the migrations that ran now. @throws SchemaRefused */
export async function migrate(connectionString: string): Promise<string[]> {
  const db = createPool({ connectionString, max: 4, applicationName: 'svc-migrate' });
  try {
    return await db.transaction(async (guard) => {
      // PostgreSQL frees this lock with its connection. Knex's own is a row that a killed process leaves
      // behind: under ours it can only be stale.
      await guard.raw('select pg_advisory_xact_lock(?)', [advisoryLock]);
      await markBaselines(db);
      await refuseUnknown(db);
      await db.migrate.forceFreeMigrationsLock(migrationConfig);
      const [, ran] = await db.migrate.latest(migrationConfig);
      return ran;
    });
  } finally {
    await db.destroy();
  }
}

/** How many migrations of this program have not run yet. @throws SchemaRefused */
export async function pendingMigrations(db: Knex): Promise<number> {
  await refuseUnknown(db);
  const applied = await appliedMigrations(db);
  return (await knownMigrations()).filter((name) => !applied.includes(name)).length;
}

/** Of this program, in their order. */
export async function knownMigrations(directory = migrationConfig.directory): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith('.ts')).toSorted();
}

/** Those that a database has, in the order in which they ran. */
export async function appliedMigrations(db: Knex): Promise<string[]> {
  if (!(await db.schema.hasTable('knex_migrations'))) return [];
  const { rows } = await db.raw<{ rows: { name: string }[] }>('select name from knex_migrations order by id');
  return rows.map(({ name }) => name);
}

/**
 * A database with exactly the dated migrations has the schema of the baselines: it is noted that they ran.
 */
async function markBaselines(db: Knex): Promise<void> {
  const applied = await appliedMigrations(db);
  if (applied.length !== DATED_MIGRATIONS.length || !DATED_MIGRATIONS.every((name) => applied.includes(name))) return;
  const baselines = (await knownMigrations()).filter((name) => name <= LAST_BASELINE);
  await db.transaction(async (tx) => {
    await tx('knex_migrations').delete();
    await tx('knex_migrations').insert(baselines.map((name) => ({ name, batch: 1, migration_time: new Date() })));
  });
}

async function refuseUnknown(db: Knex): Promise<void> {
  const applied = await appliedMigrations(db);
  const known = await knownMigrations();
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const missing = DATED_MIGRATIONS.filter((name) => !applied.includes(name));
  if (applied.every((name) => DATED_MIGRATIONS.includes(name))) {
    throw new SchemaRefused(
      `This database was made before version 0.2.0 and lacks ${missing.length} of the ${DATED_MIGRATIONS.length} migrations of that time, from ${missing[0]} on: ` +
        'start it once with the last version before 0.2.0, then with this one.',
    );
  }
  throw new SchemaRefused(
    `This database was migrated by a newer version: this one does not know ${unknown.join(', ')}. ` +
      'Start that version or a later one, or restore the backup that was made before the upgrade.',
  );
}
