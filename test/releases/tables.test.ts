// What is written as text and read again is the same, to the last digit.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../support/servers.ts';
import { readTables, schemaOf, writeTables } from './tables.ts';

let [from, to]: pg.Client[] = [];
beforeAll(async () => {
  const clients = await Promise.all([testDatabase(), testDatabase()]);
  [from, to] = await Promise.all(
    clients.map(async ({ url }) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
});
afterAll(async () => void (await Promise.all([from?.end(), to?.end()])));

test('rows, odd values among them, come back as they were; sequences go on after them', async () => {
  if (!from || !to) throw new Error('no databases');
  await from.query(
    `insert into users (user_id, issuer, subject, email, name, created_at) values ('usr_1', 'i', 's', 'a@b', E'tab\\t"quote" \\\\ \\u00fc', '2026-01-02 03:04:05.678901+00')`,
  );
  await from.query(
    `insert into audit_log (audit_id, actor_kind, action, target_id, request_id, details) values ('aud_1', 'platform', 'x', 't', 'r', '{"n": 12345678901234567890.5, "no": null, "list": [1, "2"]}')`,
  );
  const before = await readTables(from);
  await writeTables(to, before);
  expect(await readTables(to)).toEqual(before);
  expect(await schemaOf(to)).toBe(await schemaOf(from));
  // The seed rows of migrations do not exist twice.
  expect(before.get('users')).toHaveLength(2);
});

test('times move together, but not those that are signed or chained', async () => {
  if (!from || !to) throw new Error('no databases');
  const dumps = await readTables(from);
  await writeTables(to, dumps, 86_400_000);
  const at = async (db: pg.Client, table: string, column: string): Promise<number> =>
    (await db.query<{ ms: number }>(`select (extract(epoch from ${column}) * 1000)::float8 as ms from ${table}`)).rows[0]?.ms ?? 0;
  expect((await at(to, 'users', 'created_at')) - (await at(from, 'users', 'created_at'))).toBe(86_400_000);
  expect(await at(to, 'audit_log', 'at')).toBeGreaterThan(0);
  expect(await at(to, 'audit_log', 'at')).toBe(await at(from, 'audit_log', 'at'));
});

test('rows of a table that this schema does not have are refused', async () => {
  if (!to) throw new Error('no database');
  await expect(writeTables(to, new Map([['no_such', [['id'], ['1']] as const]]))).rejects.toThrow('this schema has no no_such.id');
});
