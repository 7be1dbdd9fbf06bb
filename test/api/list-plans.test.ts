// Lists and searches among many rows: what PostgreSQL reads to answer each. An index that is lost, or that a
// query no longer fits, shows here.
import type { Knex } from 'knex';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ACCOUNT, BEARER, serveApiOn } from '#bench/api-part.ts';
import { LISTS } from '#bench/list-routes.ts';
import { fillLists } from '#bench/lists-data.ts';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '../support/servers.ts';

const rows = 12_000;
/** Of one table by one query: the account's own agents, or the best of all, are looked at one by one. */
const readAtMost = 1_150;

let db: Knex;
let explaining: pg.Client;
let url: string;
const stopping = new AbortController();
let asked: { sql: string; bindings: unknown[] }[] = [];

beforeAll(async () => {
  const connectionString = (await testDatabase()).url;
  const filling = createPool({ connectionString, max: 1 });
  await filling('users').insert(ACCOUNT);
  await fillLists(filling, rows);
  await filling.destroy();
  db = createPool({ connectionString });
  db.on('query', (query: { sql: string; bindings?: unknown[] }) => void asked.push({ sql: query.sql, bindings: query.bindings ?? [] }));
  explaining = new pg.Client({ connectionString });
  await explaining.connect();
  // A table of this size may be quicker to read whole; what is asked is how one of a million rows would be
  // read.
  await explaining.query('set enable_seqscan = off; set random_page_cost = 1');
  url = await serveApiOn(db, stopping);
});
afterAll(async () => {
  stopping.abort();
  await explaining.end();
  await db.destroy();
});

test.each(Object.entries(LISTS))('%s reads few rows, by an index', async (_name, path) => {
  expect(await readTooMuch(path)).toEqual([]);
});

test('a lost index is noticed', async () => {
  for (const [index, path] of [
    ['agents_listed_words', '/v1/agents/search?q=number%20777'],
    ['agents_listed_tags', '/v1/agents/search?tag=tag-5&limit=25'],
    ['agents_public', '/v1/agents/search?q=demo'],
    ['users_email_ends', '/v1/admin/users?email=other-777@svc.local'],
  ] as const) {
    const [definition] = (await db.raw<{ rows: { definition: string }[] }>(`select pg_get_indexdef('${index}'::regclass) as definition`)).rows;
    await db.raw(`drop index ${index}`);
    expect(await readTooMuch(path), index).not.toEqual([]);
    await db.raw(definition?.definition ?? '');
  }
});

/** What the queries of a request read too much of. */
async function readTooMuch(path: string): Promise<string[]> {
  asked = [];
  const response = await fetch(`${url}${path}`, { headers: { authorization: BEARER } });
  expect(response.status, await response.text()).toBe(200);
  const queries = asked.filter(({ sql }) => /^\s*(select|with)\b/i.test(sql));
  expect(queries).not.toEqual([]);
  const found: string[] = [];
  for (const { sql, bindings } of queries) {
    const answer = await explaining.query(`explain (analyze, timing off, format json) ${sql}`, bindings);
    const [{ Plan: plan }] = Explained.parse(answer.rows[0]?.['QUERY PLAN']);
    for (const { node, table, read } of scans(plan)) {
      if (read > readAtMost) found.push(`${node} of ${table} reads ${read} rows: ${sql}`);
    }
  }
  return found;
}

const Node = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().default(0),
  'Rows Removed by Index Recheck': z.number().default(0),
  get Plans() {
    return z.array(Node).default([]);
  },
});
const Explained = z.tuple([z.object({ Plan: Node })]);

/** Each place where a plan reads a table, with how many rows it looked at. */
function scans(plan: z.output<typeof Node>): { node: string; table: string; read: number }[] {
  const { 'Node Type': node, 'Relation Name': table } = plan;
  const each = plan['Actual Rows'] + plan['Rows Removed by Filter'] + plan['Rows Removed by Index Recheck'];
  return [...(table === undefined ? [] : [{ node, table, read: each * plan['Actual Loops'] }]), ...plan.Plans.flatMap(scans)];
}
