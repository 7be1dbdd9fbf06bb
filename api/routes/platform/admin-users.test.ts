// Operators look for accounts: what finds them, pages, counts that end, and what is not shown.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#core/kernel/ids.ts';
import { addAgent } from '#test/support/verbs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

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

test('finds each once, whether the newest, few of all or the oldest have the part', async () => {
  // 1,100 newer accounts without the part, and more with it than are put in order at once.
  await world.ctx.db.raw(
    `insert into users (user_id, issuer, subject, email)
     select 'usr_0_' || lpad(n::text, 5, '0'), 'many', 'many-' || n, case when n <= 5100 then 'm' || n || '@old.te' else 'n' || n || '@new.te' end
     from generate_series(1, 6200) n`,
  );
  const paged = async (email: string) => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({ email, id_prefix: 'usr_0_', limit: 100, ...(cursor === null ? {} : { cursor }) });
      seen.push(...page.items.map((one) => one.email));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return seen;
  };
  const down = (from: number, to: number, fits: (text: string) => boolean) =>
    Array.from({ length: from - to + 1 }, (_, at) => String(from - at)).filter((text) => fits(text));
  expect(await paged('@OLD.te')).toEqual(down(5100, 1, () => true).map((n) => `m${n}@old.te`));
  expect(await paged('99@old')).toEqual(down(5100, 1, (n) => n.endsWith('99')).map((n) => `m${n}@old.te`));
  expect(await paged('77@new')).toEqual(down(6200, 5101, (n) => n.endsWith('77')).map((n) => `n${n}@new.te`));
});

test('a part longer than what the index holds, and signs that a search reads otherwise', async () => {
  const long = 'somebody-with-a-very-long-name@example-of-a-long-host.test';
  await addUsers([long, `o'hara\\smith@odd.test`, 'a & b:*@odd.test']);
  const emails = async (email: string) => (await list({ email })).items.map((one) => one.email);
  expect(await emails('with-a-very-long-name@EXAMPLE')).toEqual([long]);
  expect(await emails('with-a-very-long-names')).toEqual([]);
  for (const part of [`o'h`, `a\\s`, `'hara\\smith@`]) expect(await emails(part), part).toEqual([`o'hara\\smith@odd.test`]);
  for (const part of ['a & b', ' & ', 'b:*']) expect(await emails(part), part).toEqual(['a & b:*@odd.test']);
  for (const part of ['   ', `'':*`, `''`.repeat(4)]) expect(await emails(part), part).toEqual([]);
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
