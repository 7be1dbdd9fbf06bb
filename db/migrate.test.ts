import { expect, test } from 'vitest';
import { testDatabase } from '#test/support/servers.ts';
import { migrate } from './migrate.ts';
import { createPool } from './pool.ts';

test('a migration that was killed does not lock out the next one, nor do several at once', async () => {
  const { url } = await testDatabase();
  const db = createPool({ connectionString: url });
  try {
    // What a process killed in the middle leaves: knex's lock taken.
    await db('knex_migrations_lock').update({ is_locked: 1 });
    await expect(Promise.all([migrate(url), migrate(url), migrate(url)])).resolves.toEqual([[], [], []]);
    await expect(db('knex_migrations_lock').first()).resolves.toMatchObject({ is_locked: 0 });
  } finally {
    await db.destroy();
  }
});
