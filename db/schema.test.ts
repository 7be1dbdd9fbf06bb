// What holds for every table, also for those to come.
import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase } from '#test/support/servers.ts';
import { tableKeys } from './generate-keys.ts';
import { tableTypes } from './generate-tables.ts';
import { knownMigrations, migrationConfig } from './migrate.ts';
import { createPool } from './pool.ts';
import { schemaDump } from './schema-dump.ts';

let db: Knex;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url })));
afterAll(() => db.destroy());

it('db/tables.ts is what the migrated schema says', async () => {
  const written = await readFile(new URL('./tables.ts', import.meta.url), 'utf8');
  expect(await tableTypes(db), 'run: node db/generate-tables.ts').toBe(written);
});

it('db/keys.ts is what the migrated schema says', async () => {
  const written = await readFile(new URL('./keys.ts', import.meta.url), 'utf8');
  expect(await tableKeys(db), 'run: node db/generate-tables.ts').toBe(written);
});

it('every foreign key is indexed by its first columns, or deleting and joining would read whole tables', async () => {
  const { rows } = await db.raw<{ rows: { key: string }[] }>(`
    select format('%s (%s)', c.conrelid::regclass, (
      select string_agg(a.attname, ', ' order by k.ord) from unnest(c.conkey) with ordinality k(num, ord)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.num)) as key
    from pg_constraint c
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace and not exists (
      select 1 from pg_index i
      where i.indrelid = c.conrelid and i.indisvalid
        and (select array_agg(k order by k) from unnest(c.conkey) k)
          = (select array_agg(k order by k) from unnest((i.indkey::int2[])[0:cardinality(c.conkey) - 1]) k))`);
  expect(rows.map((row) => row.key)).toEqual([]);
});

/** Migrations that cannot be taken back, and why. */
const NO_WAY_BACK: Record<string, string> = {};

it('migrations can be taken back and run again', async () => {
  const schema = await schemaDump(db);
  for (const name of (await knownMigrations()).toReversed()) {
    if (NO_WAY_BACK[name]) return;
    await db.migrate.down({ ...migrationConfig, name });
  }
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'knex_%'
     union all select proname from pg_proc p where pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')`,
  );
  expect(rows).toEqual([]);
  await db.migrate.latest(migrationConfig);
  expect(await schemaDump(db)).toBe(schema);
});

it('counts beyond JavaScript integers are an error, not a wrong number', async () => {
  expect((await db.raw<{ rows: unknown[] }>('select 9007199254740991::bigint as n')).rows).toEqual([{ n: 9_007_199_254_740_991 }]);
  await expect(db.raw('select 9007199254740993::bigint as n')).rejects.toThrow(RangeError);
});
