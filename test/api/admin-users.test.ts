// Operators look for accounts: what finds them, pages, counts that end, and what is not shown.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#core/kernel/ids.ts';
import { addAgent } from '../support/verbs.ts';
import { verifies } from '../spec/verifies.ts';
import { createWorld, type World } from './world.ts';

let world: World;
let ada: string;
beforeAll(async () => {
  world = await createWorld();
  ada = world.records['user_id'] ?? '';
});
afterAll(() => world.close());

const list = (query: { limit?: number; cursor?: string; email?: string; id_prefix?: string } = {}) => world.as('operator').admin.listUsers({ query });
async function addUsers(emails: string[]): Promise<string[]> {
  const rows = emails.map((email) => ({ user_id: newId('usr'), issuer: 'test', subject: newId('usr'), email }));
  await world.ctx.db('users').insert(rows);
  return rows
    .map(({ user_id }) => user_id)
    .toSorted()
    .toReversed();
}

verifies('admin.listUsers', 'pages through the accounts, the newest first, each once', async () => {
  const made = await addUsers(Array.from({ length: 7 }, (_, n) => `page-${n}@pages.test`));
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list({ email: '@pages.test', limit: 3, ...(cursor === null ? {} : { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(3);
    seen.push(...page.items.map(({ user_id }) => user_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(seen).toEqual(made);
  await expect(list({ cursor: 'nonsense' })).rejects.toMatchObject({ status: 400, code: 'bad_cursor' });
});

test('finds by a part of the email address in any case, letter by letter, and by the start of an id', async () => {
  await addUsers(['Grace.Hopper@Navy.test', 'per%cent@odd.test', 'under_score@odd.test']);
  const emails = async (email: string) => (await list({ email })).items.map((one) => one.email);
  expect(await emails('HOPPER@navy')).toEqual(['Grace.Hopper@Navy.test']);
  expect(await emails('r%c')).toEqual(['per%cent@odd.test']);
  expect(await emails('r_s')).toEqual(['under_score@odd.test']);
  expect(await emails('nobody@nowhere')).toEqual([]);
  expect((await list({ id_prefix: ada.slice(0, -1) })).items.map(({ user_id }) => user_id)).toContain(ada);
  expect((await list({ id_prefix: ada, email: 'grace' })).items).toEqual([]);
  await expect(list({ email: 'ab' })).rejects.toMatchObject({ status: 422 });
});

test('counts agents that are there, to an end, and shows nothing of them', async () => {
  const [owner = ''] = await addUsers(['owner@counts.test']);
  const only = async () => (await list({ id_prefix: owner })).items;
  await addAgent(world.ctx.db, owner);
  const { id } = await addAgent(world.ctx.db, owner);
  await world.ctx.db('agents').where({ agent_id: id }).update({ deleted_at: new Date().toISOString() });
  expect(await only()).toMatchObject([{ email: 'owner@counts.test', agents: 1, runs: 0, operator: false }]);
  await world.ctx.db.raw(
    `insert into agents (agent_id, name, owner_id, kind) select 'agt_many' || n, 'many-' || n, ?, 'hosted' from generate_series(1, 1200) n`,
    [owner],
  );
  const [counted] = await only();
  expect(counted?.agents).toBe(1_000);
  expect(Object.keys(counted ?? {}).toSorted()).toEqual(['agents', 'created_at', 'email', 'last_seen_at', 'name', 'operator', 'runs', 'user_id']);
  const runs = Number((await world.ctx.db('runs').where({ user_id: ada }).count<{ count: number }[]>('* as count'))[0]?.count);
  expect(runs).toBeGreaterThan(0);
  expect((await list({ id_prefix: ada })).items).toMatchObject([{ runs }]);
});

test('only operators look', async () => {
  await expect(world.as('ada').admin.listUsers({ query: {} })).rejects.toMatchObject({ status: 403 });
});
