import pg from 'pg';
import { expect, test } from 'vitest';
import { dropDatabases, keepDatabase, testDatabase } from './servers.ts';

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('every caller gets a migrated database of its own', async () => {
  const [one, other] = await Promise.all([testDatabase(), testDatabase()]);
  expect(one.url).not.toBe(other.url);
  await query(one.url, 'create table only_here (n int)');
  const tables = `select tablename from pg_tables where schemaname = 'public'`;
  const names = (rows: { tablename?: string }[]) => rows.map((row) => row.tablename);
  expect(names(await query(one.url, tables))).toContain('only_here');
  expect(names(await query(other.url, tables))).not.toContain('only_here');
  expect(names(await query(other.url, tables))).toContain('knex_migrations');
});

test('a kept one is copied with what is in it, and stays when those of the file go', async () => {
  const kept = await testDatabase();
  await query(kept.url, 'create table only_here as select 7 as n');
  keepDatabase(kept.name);
  const copy = await testDatabase(kept.name);
  await query(copy.url, 'update only_here set n = 8');
  expect(await query(kept.url, 'select n from only_here')).toEqual([{ n: 7 }]);
  await dropDatabases();
  await expect(query(copy.url, 'select 1')).rejects.toMatchObject({ code: '3D000' });
  expect(await query(kept.url, 'select n from only_here')).toEqual([{ n: 7 }]);
  await dropDatabases([kept.name]);
  await expect(query(kept.url, 'select 1')).rejects.toMatchObject({ code: '3D000' });
});
