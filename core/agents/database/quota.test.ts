// What an account may have of databases, on a real server: no number of requests at once passes it.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ask, refused } from '#drivers/databases/conformance.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { setSetting } from '#test/support/settings.ts';
import { createDatabaseBranch } from './branch.ts';
import { createDatabase } from './create.ts';
import { getDatabase, listDatabases } from './list.ts';
import { removeDatabaseBranch } from './remove.ts';
import { revealDatabaseUrl } from './reveal.ts';
import { measureDatabases } from './tend.ts';
import { provisionAll, serveDatabases } from './test/served.ts';

const MIB = 1_048_576;
let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let n = 0;
beforeAll(async () => {
  t = await testContext();
  await serveDatabases(t);
});
beforeEach(async () => {
  [ada, ben] = [await t.user(`ada-${(n += 1)}`), await t.user(`ben-${n}`)];
  await setSetting(t.ctx, 'databases_per_account', 5);
  await setSetting(t.ctx, 'database_branches_per_account', 25);
  await setSetting(t.ctx, 'database_mib_per_account', 5_120);
  await setSetting(t.ctx, 'database_mib', 1_024);
});
afterAll(() => t.close());

const make = async (who: TestUser, name: string): Promise<string> => {
  const { project_id } = await createDatabase(who, { name });
  await provisionAll(t);
  return project_id;
};
const url = async (who: TestUser, project_id: string, branch = 'main') => (await revealDatabaseUrl(who, { project_id, branch, access: 'owner' })).url;
const fill = async (who: TestUser, project_id: string): Promise<void> => {
  await ask(await url(who, project_id), `create table big as select n, repeat(md5(n::text), 30) as t from generate_series(1, 20000) n`);
  await measureDatabases(t.ctx);
};
const copy = (who: TestUser, project_id: string, name: string) => createDatabaseBranch(who, { project_id, name, from: 'main' });
const outcomes = async (all: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(all)).map((one) => (one.status === 'fulfilled' ? 'made' : String(Object(one.reason).code))).toSorted();
const quota = async (who: TestUser) => (await listDatabases(who, { limit: 1 })).quota;

test('databases: of many that are made at once, those that fit', async () => {
  await setSetting(t.ctx, 'databases_per_account', 3);
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  expect(await outcomes(names.map((name) => createDatabase(ada, { name })))).toEqual([...Array<string>(5).fill('database_limit'), 'made', 'made', 'made']);
  expect(await quota(ada)).toMatchObject({ databases: 3, max_databases: 3, branches: 3 });
  // Another account has its own.
  await createDatabase(ben, { name: 'a' });
  await provisionAll(t);
});

test('branches: of all databases together, and each counts until it is deleted', async () => {
  const [first, second] = [await make(ada, 'first'), await make(ada, 'second')];
  await setSetting(t.ctx, 'database_branches_per_account', 4);
  const wanted = [first, second].flatMap((project) => ['a', 'b', 'c'].map((name) => copy(ada, project, name)));
  expect(await outcomes(wanted)).toEqual([...Array<string>(4).fill('database_branch_limit'), 'made', 'made']);
  expect(await quota(ada)).toMatchObject({ branches: 4, max_branches: 4 });
  await expect(createDatabase(ada, { name: 'third' })).rejects.toMatchObject({
    code: 'database_branch_limit',
    message: expect.stringContaining('4 of 4 in all databases'),
  });
  await provisionAll(t);
  const { branches } = await getDatabase(ada, { project_id: first });
  const one = branches.find(({ name }) => name !== 'main');
  if (one) await removeDatabaseBranch(ada, { project_id: first, branch: one.name, force: false });
  await t.ctx.db('database_branches').where({ state: 'deleting' }).update({ state: 'deleted' });
  if (one) await copy(ada, first, 'again');
  await provisionAll(t);
});

test('size: copies at once count with what they are copied from, before one of them is there', async () => {
  const project = await make(ada, 'orders');
  await fill(ada, project);
  const { size_bytes } = await getDatabase(ada, { project_id: project });
  expect(size_bytes).toBeGreaterThan(20 * MIB);
  const fits = Math.ceil((size_bytes * 2.5) / MIB);
  await setSetting(t.ctx, 'database_mib_per_account', fits);
  expect(await outcomes(['a', 'b', 'c', 'd'].map((name) => copy(ada, project, name)))).toEqual([...Array<string>(3).fill('database_size_limit'), 'made']);
  expect(await quota(ada)).toMatchObject({ size_bytes: 2 * size_bytes, max_bytes: fits * MIB });
  await provisionAll(t);
  await measureDatabases(t.ctx);
  await expect(copy(ada, project, 'e')).rejects.toMatchObject({ code: 'database_size_limit', message: expect.stringContaining(`of ${fits} MiB`) });
  // The bound of one database alone.
  await setSetting(t.ctx, 'database_mib_per_account', 5_120);
  await setSetting(t.ctx, 'database_mib', fits);
  await expect(copy(ada, project, 'e')).rejects.toMatchObject({ code: 'database_size_limit', message: expect.stringContaining('orders takes') });
  await setSetting(t.ctx, 'database_mib', 1_024);
  await copy(ada, project, 'e');
  await provisionAll(t);
});

test('an account that has grown larger than it may be is held to it in each of its databases, and no other is', async () => {
  const [large, small, other] = [await make(ada, 'large'), await make(ada, 'small'), await make(ben, 'other')];
  await fill(ada, large);
  const allowance = async (who: TestUser, project_id: string): Promise<string> => (await getDatabase(who, { project_id })).allowance;
  const { size_bytes } = await quota(ada);
  await setSetting(t.ctx, 'database_mib_per_account', Math.floor(size_bytes / MIB) - 1);
  await measureDatabases(t.ctx);
  expect([await allowance(ada, large), await allowance(ada, small), await allowance(ben, other)]).toEqual(['delete_only', 'delete_only', 'full']);
  expect(await refused(await url(ada, small), 'create table more (id int)')).toBe('42501');
  await ask(await url(ben, other), 'create table more (id int)');
  await expect(createDatabase(ada, { name: 'more' })).rejects.toMatchObject({ code: 'database_size_limit' });
  await ask(await url(ada, large), 'delete from big where n > 10');
  await setSetting(t.ctx, 'database_mib_per_account', 16);
  await measureDatabases(t.ctx);
  expect([await allowance(ada, small), await refused(await url(ada, small), 'select 1')]).toEqual(['closed', '53300']);
  await setSetting(t.ctx, 'database_mib_per_account', 5_120);
  await measureDatabases(t.ctx);
  expect([await allowance(ada, large), await allowance(ada, small)]).toEqual(['full', 'full']);
  await ask(await url(ada, small), 'create table more (id int)');
});

test('the plan of the account goes before the settings', async () => {
  const limits = { databases_per_account: 2, database_branches_per_account: 3, database_mib_per_account: 50, database_mib: 20 };
  const at = new Date();
  await t.ctx
    .db('plans')
    .where({ plan: 'pro' })
    .update({ limits: JSON.stringify(limits) });
  await t.ctx.db('subscriptions').insert({
    subscription_id: `sub_${ada.actor.user_id}`,
    processor: 'builtin',
    user_id: ada.actor.user_id,
    plan: 'pro',
    seats: 1,
    state: 'active',
    cancel_at_period_end: false,
    period_start: at,
    period_end: new Date(at.getTime() + 86_400_000),
    revision: 1,
    created_at: at,
    updated_at: at,
  });
  expect(await quota(ada)).toMatchObject({ max_databases: 2, max_branches: 3, max_bytes: 50 * MIB });
  expect(await quota(ben)).toMatchObject({ max_databases: 5, max_branches: 25, max_bytes: 5_120 * MIB });
  expect(await outcomes(['a', 'b', 'c'].map((name) => createDatabase(ada, { name })))).toEqual(['database_limit', 'made', 'made']);
  expect((await listDatabases(ada, { limit: 1 })).items).toMatchObject([{ max_bytes: 20 * MIB }]);
  await provisionAll(t);
});
