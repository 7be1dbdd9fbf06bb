// The database's checks of states, kinds and names say what the contract's lists say.
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as states from '#contract/states.ts';
import { AGENT_SLUG } from '#contract/wire/names.ts';
import { testDatabase } from '#test/support/servers.ts';
import { COLUMN_WORDS } from './column-words.ts';
import { checkedWords } from './generate-tables.ts';
import { createPool } from './pool.ts';

const lists = new Map<string, unknown>(Object.entries(states));
const LISTS = Object.fromEntries(Object.entries(COLUMN_WORDS).map(([column, list]) => [column, lists.get(list)]));

let db: Knex;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url })));
afterAll(() => db.destroy());

it('every list of words that a column is checked against is a list of the contract', async () => {
  expect(await checkedWords(db)).toEqual(LISTS);
});

it("agents' names are checked by the contract's rule", async () => {
  const { rows } = await db.raw<{ rows: { definition: string }[] }>(`
    select pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = 'agents'::regclass and contype = 'c' and conkey = (select array_agg(attnum) from pg_attribute where attrelid = 'agents'::regclass and attname = 'name')`);
  expect(rows).toEqual([{ definition: `CHECK ((name ~ '^${AGENT_SLUG}$'::text))` }]);
});
