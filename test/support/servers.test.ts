import pg from 'pg';
import { expect, test } from 'vitest';
import { testDatabase } from './servers.ts';

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
