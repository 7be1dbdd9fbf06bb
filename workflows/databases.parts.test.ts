// Databases on a real server by real workflows: made, copied, rotated, dropped; steps that die are taken up
// again.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDatabaseActivities, type DatabaseActivities } from '#activities/databases.ts';
import { createDeployActivities } from '#activities/deploy.ts';
import { createDatabaseBranch } from '#core/agents/database/branch.ts';
import { createDatabase } from '#core/agents/database/create.ts';
import { getDatabase } from '#core/agents/database/list.ts';
import { removeDatabase } from '#core/agents/database/remove.ts';
import { revealDatabaseUrl } from '#core/agents/database/reveal.ts';
import { rotateDatabaseRole } from '#core/agents/database/rotate.ts';
import { tendServer } from '#core/agents/database/tend.ts';
import { ask, connected, refused } from '#drivers/databases/conformance.ts';
import type { DatabaseServer } from '#drivers/databases/port.ts';
import { postgresServer } from '#drivers/databases/postgres.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';

let t: TestContext;
let ada: TestUser;
let server: DatabaseServer;
let stopWorker: () => Promise<void>;
/**
 * Activities that are to fail once: before their work, and after it, as when their process dies at that
 * moment.
 */
const dying = new Map<string, 'before' | 'after'>();
const died: string[] = [];

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  server = postgresServer({ adminUrl: t.databaseUrl });
  t.ctx.drivers.databases = server;
  await tendServer(t.ctx, 'local');
  ada = await t.user('ada');
  stopWorker = await startTestWorkers(temporal, { ...createDeployActivities({ ...t.ctx, node: 'local' }), ...mortal(createDatabaseActivities(t.ctx)) });
});
afterAll(async () => {
  await stopWorker();
  await t.close();
});

function mortal(activities: DatabaseActivities): DatabaseActivities {
  const wrapped = Object.entries(activities).map(([name, work]) => [
    name,
    async (...args: never[]): Promise<unknown> => {
      const when = dying.get(name);
      dying.delete(name);
      if (when === 'before') died.push(name);
      if (when === 'before') throw new Error(`${name} died before its work`);
      const result: unknown = await (work as (...args: never[]) => Promise<unknown>)(...args);
      if (when === 'after') died.push(name);
      if (when === 'after') throw new Error(`${name} died after its work`);
      return result;
    },
  ]);
  // Safe: each has the name and the signature of the one it wraps.
  return Object.fromEntries(wrapped) as DatabaseActivities;
}

const soon = { timeout: 40_000, interval: 50 };
const become = (project_id: string, state: string) =>
  vi.waitFor(async () => {
    const found = await getDatabase(ada, { project_id });
    if (found.state !== state || found.branches.some((branch) => branch.state !== state)) throw new Error(`it is ${found.state}`);
    return found;
  }, soon);
const url = async (project_id: string, branch = 'main') => (await revealDatabaseUrl(ada, { project_id, branch, access: 'owner' })).url;
const workflowOf = async (name: string): Promise<string> =>
  (await t.ctx.db('outbox').where({ name }).orderBy('outbox_id', 'desc').first('workflow_id'))?.workflow_id ?? '';

test('a database is made, copied, given a new password while it is used, and dropped', async () => {
  const { project_id } = await createDatabase(ada, { name: 'orders' });
  await become(project_id, 'ready');
  await recordHistory(t.temporal, await workflowOf('provisionDatabase'), 'provisionDatabase.ready');
  const before = await url(project_id);
  await ask(before, `create table notes as select 'one' as text`);
  await createDatabaseBranch(ada, { project_id, name: 'preview', from: 'main' });
  await become(project_id, 'ready');
  expect(await ask(await url(project_id, 'preview'), 'select text from notes')).toEqual([{ text: 'one' }]);

  const inside = await connected(before);
  await rotateDatabaseRole(ada, { project_id, branch: 'main', access: 'owner' });
  await vi.waitFor(async () => expect(await url(project_id)).not.toBe(before), soon);
  const after = await url(project_id);
  expect(await ask(after, 'select text from notes')).toEqual([{ text: 'one' }]);
  await vi.waitFor(async () => expect(await refused(before, 'select 1')).toMatch(/^28/), soon);
  // Who was connected is thrown out just after the password is another.
  await vi.waitFor(async () => expect(inside.query('select 1')).rejects.toThrow(), soon);
  await recordHistory(t.temporal, await workflowOf('rotateDatabase'), 'rotateDatabase.rotated');

  await removeDatabase(ada, { project_id, force: false });
  await vi.waitFor(
    async () => expect(await getDatabase(ada, { project_id }).catch((error: unknown) => error)).toMatchObject({ code: 'database_not_found' }),
    soon,
  );
  await recordHistory(t.temporal, await workflowOf('dropDatabase'), 'dropDatabase.dropped');
  expect(await refused(after, 'select 1')).toMatch(/^28|^3D/);
});

test.each(['before', 'after'] as const)('a process that dies %s any step of it loses and doubles nothing', async (when) => {
  const steps = ['prepareDatabaseProject', 'makeDatabase', 'makeDatabaseLogins', 'finishDatabaseBranch'] as const;
  for (const step of steps) dying.set(step, when);
  const { project_id } = await createDatabase(ada, { name: `mortal-${when}` });
  await become(project_id, 'ready');
  const main = await url(project_id);
  await ask(main, `create table notes as select 'one' as text`);
  dying.set('makeDatabase', when);
  await createDatabaseBranch(ada, { project_id, name: 'copy', from: 'main' });
  await become(project_id, 'ready');
  expect(await ask(main, 'select text from notes')).toEqual([{ text: 'one' }]);
  expect(await ask(await url(project_id, 'copy'), 'select text from notes')).toEqual([{ text: 'one' }]);
  for (const step of ['makeNextDatabaseLogin', 'switchDatabaseLogin', 'dropLastDatabaseLogin'] as const) dying.set(step, when);
  await rotateDatabaseRole(ada, { project_id, branch: 'main', access: 'owner' });
  await vi.waitFor(async () => expect(await t.ctx.db('database_logins').whereNot({ state: 'current' })).toEqual([]), soon);
  expect(await t.ctx.db('database_events').where({ project_id, kind: 'role_rotated' })).toHaveLength(1);
  const { server_name = '' } = (await t.ctx.db('database_projects').where({ project_id }).first('server_name')) ?? {};
  const onServer = () =>
    ask(
      t.databaseUrl,
      `select datname as name from pg_database where datname like '${server_name}%' union all select rolname from pg_roles where rolname like '${server_name}%'`,
    );
  // Two databases, four groups, three logins of each branch.
  expect(await onServer()).toHaveLength(2 + 4 + 6);
  for (const step of ['databaseBranchesToDrop', 'dropDatabaseBranch', 'dropDatabaseProject'] as const) dying.set(step, when);
  await removeDatabase(ada, { project_id, force: false });
  await vi.waitFor(async () => expect(await t.ctx.db('database_projects').where({ project_id }).first('state')).toEqual({ state: 'deleted' }), soon);
  expect(await onServer()).toEqual([]);
  expect([...dying.keys()]).toEqual([]);
  expect(died.length).toBeGreaterThanOrEqual(10);
});

test('what is deleted while it is made does not exist afterwards', async () => {
  const { project_id } = await createDatabase(ada, { name: 'short' });
  const { server_name = '' } = (await t.ctx.db('database_projects').where({ project_id }).first('server_name')) ?? {};
  await removeDatabase(ada, { project_id, force: false });
  await vi.waitFor(async () => expect(await t.ctx.db('database_projects').where({ project_id }).first('state')).toEqual({ state: 'deleted' }), soon);
  await vi.waitFor(async () => {
    const handle = t.temporal.workflow.getHandle(await workflowOf('provisionDatabase'));
    expect(await handle.result()).toEqual({ state: 'over' });
  }, soon);
  expect(await ask(t.databaseUrl, `select 1 from pg_database where datname like '${server_name}%'`)).toEqual([]);
});
