import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Knex } from 'knex';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testDatabase } from '#test/support/servers.ts';
import { DATED_MIGRATIONS } from './dated-migrations.ts';
import { knownMigrations, LAST_BASELINE, migrate, pendingMigrations, SchemaRefused } from './migrate.ts';
import { createPool } from './pool.ts';
import { schemaDump } from './schema-dump.ts';

let url: string;
let db: Knex;
beforeEach(async () => {
  ({ url } = await testDatabase());
  db = createPool({ connectionString: url });
});
afterEach(() => db.destroy());

const applied = async (): Promise<string[]> => await db('knex_migrations').orderBy('id').pluck('name');
const note = (names: readonly string[]) => db('knex_migrations').insert(names.map((name) => ({ name, batch: 1, migration_time: new Date() })));

test('a migration that was killed does not lock out the next one, nor do several at once', async () => {
  // What a process killed in the middle leaves: knex's lock taken.
  await db('knex_migrations_lock').update({ is_locked: 1 });
  await expect(Promise.all([migrate(url), migrate(url), migrate(url)])).resolves.toEqual([[], [], []]);
  await expect(db('knex_migrations_lock').first()).resolves.toMatchObject({ is_locked: 0 });
});

test('a database of before the first release is marked as migrated: its schema is that of a fresh one, and its rows stay', async () => {
  await db.raw('drop schema span_days cascade; drop schema public cascade');
  await db.raw('create schema public authorization pg_database_owner; grant usage on schema public to public');
  // Every statement that the dated migrations ran, one after the other.
  const dated = gunzipSync(readFileSync(new URL('./test/dated-schema.sql.gz', import.meta.url))).toString('utf8');
  await db.raw(dated.replaceAll('?', '\\?'));
  await db.raw('create table knex_migrations (id serial primary key, name varchar(255), batch integer, migration_time timestamptz)');
  await note(DATED_MIGRATIONS);
  await db.raw(`insert into users (user_id, issuer, subject, email) values ('usr_1', 'here', 'ada', 'ada@svc.local')`);

  const ran = (await Promise.all([migrate(url), migrate(url)])).flat();
  expect(ran.map((path) => path.split('/').at(-1))).toEqual((await knownMigrations()).filter((name) => name > LAST_BASELINE));
  expect(await applied()).toEqual(await knownMigrations());
  expect(await pendingMigrations(db)).toBe(0);
  expect(await db('users').pluck('user_id')).toEqual(['usr_1']);

  const fresh = createPool({ connectionString: (await testDatabase()).url });
  try {
    expect((await schemaDump(db)).split('\n')).toEqual((await schemaDump(fresh)).split('\n'));
    // What migrations themselves write as rows.
    for (const table of ['plans', 'scorecard_cursor']) {
      const rows = (of: Knex) => of.select(of.raw(`to_jsonb(t) - 'updated_at' as row`)).from(`${table} as t`).orderByRaw('1');
      expect(await rows(db)).toEqual(await rows(fresh));
    }
  } finally {
    await fresh.destroy();
  }
});

test('a database of before the first release is refused while migrations of that time are missing, and stays as it is', async () => {
  await db('knex_migrations').delete();
  const most = DATED_MIGRATIONS.slice(0, -2);
  await note(most);
  const refusal = migrate(url);
  await expect(refusal).rejects.toThrow(SchemaRefused);
  await expect(refusal).rejects.toThrow(
    'lacks 2 of the 95 migrations of that time, from 20261207_10_scim_counted.ts on: start it once with the last version before 0.2.0, then with this one.',
  );
  expect(await applied()).toEqual(most);
});

test('a database of a newer version is refused with what to do, and stays as it is', async () => {
  const known = await applied();
  await note(['9999_of_a_later_version.ts']);
  const before = await schemaDump(db);
  const refusal = migrate(url);
  await expect(refusal).rejects.toThrow(SchemaRefused);
  await expect(refusal).rejects.toThrow(
    'This database was migrated by a newer version: this one does not know 9999_of_a_later_version.ts. ' +
      'Start that version or a later one, or restore the backup that was made before the upgrade.',
  );
  await expect(pendingMigrations(db)).rejects.toThrow(SchemaRefused);
  expect(await applied()).toEqual([...known, '9999_of_a_later_version.ts']);
  expect(await schemaDump(db)).toBe(before);
});
