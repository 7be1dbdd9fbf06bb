// A new table that belongs to accounts must say what a purge does with it.
import { afterAll, expect, test } from 'vitest';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { RETAINED_TABLES, PURGE_STEPS } from './plan.ts';

const db = createPool({ connectionString: (await testDatabase()).url });
afterAll(() => db.destroy());

/** Tables that lead to an account: by foreign keys, at any distance, or by the name of a column. */
async function tablesOfAccounts(): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(`
    with recursive refs as (select conrelid, confrelid from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace),
    reached(id) as (
      select 'users'::regclass::oid union
      select r.conrelid from refs r join reached on reached.id = r.confrelid
    )
    select id::regclass::text as name from reached union
    select table_name from information_schema.columns
    where table_schema = 'public' and column_name in ('owner_id', 'user_id', 'asked_of', 'created_by', 'bucket', 'caller_user_id', 'updated_by') order by 1`);
  return rows.map(({ name }) => name);
}

test('every table that leads to an account is a step of the purge, or is kept for a reason', async () => {
  const named = new Set([...PURGE_STEPS.map(({ table }) => table), ...Object.keys(RETAINED_TABLES)]);
  expect((await tablesOfAccounts()).filter((table) => !named.has(table))).toEqual([]);
});

test('a table that was forgotten would be found', async () => {
  await db.raw('create table forgotten (id text primary key, thread_id text references threads)');
  expect(await tablesOfAccounts()).toContain('forgotten');
  await db.raw('drop table forgotten');
});

test('every step is SQL that the database understands', async () => {
  for (const { table, where, set } of PURGE_STEPS) {
    const some = `t.ctid in (select t.ctid from ${table} t where ${where} limit 1)`;
    await db.raw(set === undefined ? `delete from ${table} t where ${some}` : `update ${table} t set ${set} where ${some}`, { user: 'usr_none' });
  }
});
