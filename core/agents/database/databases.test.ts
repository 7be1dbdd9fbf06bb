// Verbs over a real server: the one of the test's own cluster.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseAccess } from '#contract/states.ts';
import { ask, connected, refused } from '#drivers/databases/conformance.ts';
import { postgresServer } from '#drivers/databases/postgres.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { setSetting } from '#test/support/settings.ts';
import { liveAgent } from '#test/support/runs.ts';
import { addAgent } from '#test/support/verbs.ts';
import { inTx } from '../../kernel/tx.ts';
import { stopAccount } from '../../platform/purge/stop.ts';
import { deleteAgent } from '../agent/delete.ts';
import { redeploySource } from '../../deploys/deployment/redeploy.ts';
import { bindDatabase, unbindDatabase } from './bind.ts';
import { createDatabaseBranch } from './branch.ts';
import { createDatabase } from './create.ts';
import { declareDatabases, dropUndeclared } from './declare.ts';
import { branchesToDrop, dropBranch, dropProject } from './drop.ts';
import { listDatabaseEvents } from './events.ts';
import { getDatabase, listDatabases } from './list.ts';
import { awaitDatabases, openDatabases } from './open.ts';
import { failBranch, finishBranch, makeDatabase, makeLogins, prepareProject } from './provision.ts';
import { removeDatabase, removeDatabaseBranch } from './remove.ts';
import { revealDatabaseUrl } from './reveal.ts';
import { dropLastLogin, giveUpRotation, makeNextLogin, replaceUsers, rotateDatabaseRole, switchLogin } from './rotate.ts';
import { provisionerStatus } from './status.ts';
import { allowanceFor, measureDatabases, tendServer } from './tend.ts';
import { provisionAll, serveDatabases } from './test/served.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
});
afterAll(() => t.close());

const serve = () => serveDatabases(t);
const provision = () => provisionAll(t);

let names = 0;
async function ready(who: TestUser = ada, name = `orders-${(names += 1)}`): Promise<string> {
  await serve();
  await setSetting(t.ctx, 'databases_per_account', 100);
  await setSetting(t.ctx, 'database_branches_per_account', 1_000);
  const { project_id } = await createDatabase(who, { name });
  await provision();
  return project_id;
}

const url = async (project_id: string, access: DatabaseAccess = 'owner', branch = 'main') => (await revealDatabaseUrl(ada, { project_id, branch, access })).url;

test('without a server nothing is made, and the status says so', async () => {
  expect(await provisionerStatus(ada)).toMatchObject({ served: false, healthy: false, pending: 0 });
  await expect(createDatabase(ada, { name: 'orders' })).rejects.toMatchObject({ code: 'databases_not_served' });
  const unreachable = { ...t.ctx, drivers: { ...t.ctx.drivers, databases: postgresServer({ adminUrl: 'postgres://nobody:secret-word@127.0.0.1:1/none' }) } };
  await expect(tendServer(unreachable, 'broken')).rejects.toThrow();
  const status = await provisionerStatus(ada);
  expect(status).toMatchObject({ served: false, error: 'The server for databases was not reached (ECONNREFUSED)' });
  await t.ctx.db('database_provisioners').where({ node: 'broken' }).delete();
});

test('a database is pending until its steps are done, each of which may come twice', async () => {
  await serve();
  const made = await createDatabase(ada, { name: 'first' });
  expect(made).toMatchObject({ name: 'first', state: 'pending', branches: [{ name: 'main', state: 'pending' }], bindings: [] });
  await expect(createDatabase(ada, { name: 'first' })).rejects.toMatchObject({ code: 'database_exists' });
  expect(await provisionerStatus(ada)).toMatchObject({ served: true, healthy: true, pending: 1 });
  const [started] = await t.ctx.db('outbox').where({ name: 'provisionDatabase' });
  expect(started).toMatchObject({ workflow_id: expect.stringMatching(/^database:dbb_/) });
  const id = (await t.ctx.db('database_branches').where({ project_id: made.project_id }).first('branch_id'))?.branch_id ?? '';
  for (const step of [prepareProject, makeDatabase, makeLogins]) expect([await step(t.ctx, id), await step(t.ctx, id)]).toEqual(['done', 'done']);
  expect([await finishBranch(t.ctx, id), await finishBranch(t.ctx, id), await makeDatabase(t.ctx, id)]).toEqual(['done', 'over', 'over']);
  expect(await getDatabase(ada, made)).toMatchObject({ state: 'ready', branches: [{ state: 'ready', roles: [{}, {}, {}] }] });
  await ask(await url(made.project_id), 'create table t (id int)');
  expect((await listDatabaseEvents(ada, { project_id: made.project_id, limit: 10 })).items.map(({ kind }) => kind)).toEqual([
    'role_revealed',
    'branch_ready',
    'branch_pending',
  ]);
});

test('of many that create one name at once, one does; the limit of the account holds', async () => {
  await serve();
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => createDatabase(ben, { name: 'same' })));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await t.ctx.db('database_projects').where({ name: 'same' })).toHaveLength(1);
  await setSetting(t.ctx, 'databases_per_account', 2);
  const more = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => createDatabase(ben, { name })));
  expect(more.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(more.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'database_limit' } });
  await setSetting(t.ctx, 'databases_per_account', 100);
  expect((await listDatabases(ben, { limit: 1 })).next_cursor).not.toBeNull();
  await provision();
});

test('one that failed says why, and is tried again under its name', async () => {
  await serve();
  const { project_id } = await createDatabase(ada, { name: 'unlucky' });
  const id = (await t.ctx.db('database_branches').where({ project_id }).first('branch_id'))?.branch_id ?? '';
  await prepareProject(t.ctx, id);
  await failBranch(t.ctx, id, { code: 'provisioning_failed', message: 'It could not be set up' });
  await failBranch(t.ctx, id, { code: 'provisioning_failed', message: 'again' });
  expect(await getDatabase(ada, { project_id })).toMatchObject({ state: 'failed', error: { message: 'It could not be set up' } });
  expect((await createDatabase(ada, { name: 'unlucky' })).project_id).toBe(project_id);
  await provision();
  expect(await getDatabase(ada, { project_id })).toMatchObject({ state: 'ready', error: null });
});

test('another account’s database answers as if it were not there', async () => {
  const project_id = await ready();
  const agent = await addAgent(t.ctx.db, ben.actor.user_id);
  const asBen: (() => Promise<unknown>)[] = [
    () => getDatabase(ben, { project_id }),
    () => removeDatabase(ben, { project_id, force: true }),
    () => createDatabaseBranch(ben, { project_id, name: 'b', from: 'main' }),
    () => removeDatabaseBranch(ben, { project_id, branch: 'main', force: true }),
    () => bindDatabase(ben, { project_id, agent: agent.name, branch: 'main', access: 'owner', variable: 'X', restart: false }),
    () => rotateDatabaseRole(ben, { project_id, branch: 'main', access: 'owner' }),
    () => revealDatabaseUrl(ben, { project_id, branch: 'main', access: 'owner' }),
    () => listDatabaseEvents(ben, { project_id, limit: 10 }),
  ];
  for (const call of asBen) await expect(call()).rejects.toMatchObject({ code: 'database_not_found' });
  expect((await listDatabases(ben, { limit: 200 })).items.map((one) => one.project_id)).not.toContain(project_id);
  // Nor does an agent of hers go to his.
  const theirs = await ready(ben);
  await expect(
    bindDatabase(ben, {
      project_id: theirs,
      agent: (await addAgent(t.ctx.db, ada.actor.user_id)).name,
      branch: 'main',
      access: 'owner',
      variable: 'X',
      restart: false,
    }),
  ).rejects.toMatchObject({ code: 'agent_not_found' });
});

test('passwords are in no answer but one, in no event and in no audit row', async () => {
  const project_id = await ready();
  const password = /:([^:@]+)@/.exec(await url(project_id))?.[1] ?? 'none';
  const said = JSON.stringify([
    await getDatabase(ada, { project_id }),
    await listDatabaseEvents(ada, { project_id, limit: 100 }),
    await t.ctx.db('audit_log').where({ target_id: project_id }),
    await t.ctx.db('outbox').where({ name: 'provisionDatabase' }),
    await t.ctx.db('database_logins'),
  ]);
  expect(said).not.toContain(password);
  expect(await t.ctx.db('audit_log').where({ target_id: project_id, action: 'database.reveal' })).toHaveLength(1);
});

test('a branch is a copy on its own, with roles of its own', async () => {
  const project_id = await ready();
  await ask(await url(project_id), `create table notes as select 'before' as text`);
  await createDatabaseBranch(ada, { project_id, name: 'preview', from: 'main' });
  await expect(createDatabaseBranch(ada, { project_id, name: 'preview', from: 'main' })).rejects.toMatchObject({ code: 'database_branch_exists' });
  await provision();
  await ask(await url(project_id, 'read_write', 'preview'), `insert into notes values ('in preview')`);
  expect(await ask(await url(project_id, 'read_only'), 'select text from notes')).toEqual([{ text: 'before' }]);
  expect(await ask(await url(project_id, 'read_only', 'preview'), 'select count(*)::int as n from notes')).toEqual([{ n: 2 }]);
  for (const name of ['b', 'c', 'd']) await createDatabaseBranch(ada, { project_id, name, from: 'main' });
  await expect(createDatabaseBranch(ada, { project_id, name: 'e', from: 'main' })).rejects.toMatchObject({ code: 'database_branch_limit' });
  await provision();
  await expect(removeDatabaseBranch(ada, { project_id, branch: 'main', force: true })).rejects.toMatchObject({ code: 'database_in_use' });
  await removeDatabaseBranch(ada, { project_id, branch: 'preview', force: false });
  const [gone] = await branchesToDrop(t.ctx, { project_id, branch_id: null });
  const before = await t.ctx
    .db('database_branches')
    .where({ branch_id: gone ?? '' })
    .first('database_name');
  await dropBranch(t.ctx, gone ?? '');
  await dropBranch(t.ctx, gone ?? '');
  expect((await getDatabase(ada, { project_id })).branches.map(({ name }) => name)).toEqual(['main', 'b', 'c', 'd']);
  expect(await ask(t.databaseUrl, `select 1 from pg_database where datname = '${before?.database_name}'`)).toEqual([]);
  expect(await ask(await url(project_id, 'read_only', 'b'), 'select text from notes')).toEqual([{ text: 'before' }]);
});

test('an agent gets the URL as variable and secret; the host gets no password', async () => {
  const project_id = await ready();
  const agent = await addAgent(t.ctx.db, ada.actor.user_id);
  const bound = await bindDatabase(ada, { project_id, agent: agent.name, branch: 'main', access: 'read_write', variable: 'DATABASE_URL', restart: true });
  expect(bound).toMatchObject({ applies: 'next_start', binding: { agent: agent.name, variable: 'DATABASE_URL', access: 'read_write', declared: false } });
  const again = { project_id, agent: agent.name, branch: 'main', access: 'owner' as const, variable: 'DATABASE_URL', restart: true };
  await expect(bindDatabase(ada, again)).rejects.toMatchObject({ code: 'variable_taken' });
  const opened = await openDatabases(t.ctx, agent.id);
  const [through] = opened.databases;
  expect(opened.urls['DATABASE_URL']).toBe(
    `postgres://${through?.user}:${/:([^:@]+)@/.exec(opened.urls['DATABASE_URL'] ?? '')?.[1]}@127.0.0.1:5432/${through?.database}`,
  );
  expect(Object.keys(through ?? {}).toSorted()).toEqual(['database', 'host', 'port', 'tls', 'user']);
  await unbindDatabase(ada, { project_id, binding_id: bound.binding.binding_id });
  await expect(unbindDatabase(ada, { project_id, binding_id: bound.binding.binding_id })).rejects.toMatchObject({ code: 'database_binding_not_found' });
  expect(await openDatabases(t.ctx, agent.id)).toEqual({ urls: {}, databases: [] });
  await bindDatabase(ada, again);
  await expect(removeDatabase(ada, { project_id, force: false })).rejects.toMatchObject({ code: 'database_in_use' });
  await deleteAgent(ada, { name: agent.name });
  expect(await t.ctx.db('database_bindings').where({ agent_id: agent.id })).toEqual([]);
});

test('svc.yaml makes what is missing and binds it; what it no longer names goes when that is live', async () => {
  await serve();
  const agent = await addAgent(t.ctx.db, ada.actor.user_id);
  const of = { agent_id: agent.id, name: agent.name, owner_id: ada.actor.user_id };
  const declare = (resources: Parameters<typeof declareDatabases>[2]) => inTx(ada, (ctx) => declareDatabases(ctx, of, resources));
  const books = { name: 'books', branch: 'main', access: 'read_write' as const, variable: 'BOOKS_URL' };
  await declare({ database: 'postgres', databases: [books] });
  await declare({ database: 'postgres', databases: [books] });
  const bindings = () => t.ctx.db('database_bindings').where({ agent_id: agent.id }).orderBy('variable').pluck('variable');
  expect(await bindings()).toEqual(['BOOKS_URL', 'DATABASE_URL']);
  const waiting = awaitDatabases(t.ctx, agent.id, AbortSignal.timeout(60_000));
  await provision();
  await waiting;
  expect(Object.keys((await openDatabases(t.ctx, agent.id)).urls)).toEqual(['BOOKS_URL', 'DATABASE_URL']);
  await expect(declare({ databases: [{ ...books, branch: 'nowhere' }] })).rejects.toMatchObject({
    code: 'database_not_ready',
    message: expect.stringMatching(/^svc\.yaml: resources\.databases\.0: books has no branch nowhere/),
  });
  await declare({ databases: [{ ...books, access: 'read_only' }] });
  await inTx(ada, (ctx) => dropUndeclared(ctx.db, of, { resources: { databases: [books] } }));
  expect(await bindings()).toEqual(['BOOKS_URL']);
  await t.ctx.db('agent_secrets').insert({ agent_id: agent.id, name: 'DATABASE_URL', version: 1, value_sealed: 'sealed' });
  await declare({ database: 'postgres', databases: [books] });
  expect(await bindings()).toEqual(['BOOKS_URL']);
  await expect(declare({ databases: [{ ...books, variable: 'DATABASE_URL' }] })).rejects.toMatchObject({
    code: 'variable_taken',
    message: expect.stringContaining('resources.databases.0'),
  });
});

test('a rotation leaves who is connected alone until the agents are replaced, then drops the login of before', async () => {
  const project_id = await ready();
  const agent = await addAgent(t.ctx.db, ada.actor.user_id, { live: true });
  await bindDatabase(ada, { project_id, agent: agent.name, branch: 'main', access: 'owner', variable: 'DATABASE_URL', restart: false });
  const before = await url(project_id);
  await ask(before, 'create table kept (id int); insert into kept values (1)');
  const inside = await connected(before);
  await rotateDatabaseRole(ada, { project_id, branch: 'main', access: 'owner' });
  await expect(rotateDatabaseRole(ada, { project_id, branch: 'main', access: 'owner' })).rejects.toMatchObject({ code: 'database_rotation_under_way' });
  const { login_id = '' } = (await t.ctx.db('database_logins').where({ state: 'pending' }).first('login_id')) ?? {};
  const { deploy_id = '' } = (await t.ctx.db('deployments').where({ agent_id: agent.id }).first('deploy_id')) ?? {};
  await t.ctx.db('instances').insert({ instance_id: `ins_${login_id}`, deploy_id, agent_id: agent.id, node: 'local', state: 'serving', api_key_sealed: 's' });
  for (let time = 0; time < 2; time += 1) {
    expect(await makeNextLogin(t.ctx, login_id)).toBe(true);
    await switchLogin(t.ctx, login_id);
    expect(await replaceUsers(t.ctx, login_id)).toBe(1);
  }
  const after = await url(project_id);
  expect(after).not.toBe(before);
  expect((await inside.query('select count(*)::int as n from kept')).rows).toEqual([{ n: 1 }]);
  expect(await ask(after, 'select count(*)::int as n from kept')).toEqual([{ n: 1 }]);
  await t.ctx.db('instances').where({ agent_id: agent.id }).update({ state: 'stopped' });
  expect(await replaceUsers(t.ctx, login_id)).toBe(0);
  await dropLastLogin(t.ctx, login_id);
  await dropLastLogin(t.ctx, login_id);
  await expect(inside.query('select 1')).rejects.toThrow();
  expect(await refused(before, 'select 1')).toMatch(/^28/);
  await ask(after, 'alter table kept add column more int');
  expect((await getDatabase(ada, { project_id })).branches[0]?.roles.every(({ rotating }) => !rotating)).toBe(true);
  await rotateDatabaseRole(ada, { project_id, branch: 'main', access: 'owner' });
  const next = await t.ctx.db('database_logins').where({ state: 'pending' }).first('login_id');
  await makeNextLogin(t.ctx, next?.login_id ?? '');
  await giveUpRotation(t.ctx, next?.login_id ?? '');
  expect(await ask(await url(project_id), 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('what is larger than it may be is held to it, and let go again', async () => {
  const project_id = await ready();
  const owner = await url(project_id);
  await ask(owner, `create table big as select n, repeat(md5(n::text), 30) as t from generate_series(1, 20000) n`);
  const limit = async (mib: number): Promise<void> => {
    await setSetting(t.ctx, 'database_mib', mib);
    await measureDatabases(t.ctx);
  };
  await limit(1_000);
  const { size_bytes } = await getDatabase(ada, { project_id });
  expect(size_bytes).toBeGreaterThan(20_000_000);
  await limit(Math.floor(size_bytes / 1_048_576) - 1);
  expect(await getDatabase(ada, { project_id })).toMatchObject({ allowance: 'delete_only', measured_at: expect.any(String) });
  expect(await refused(owner, 'insert into big values (1)')).toBe('42501');
  await ask(owner, 'delete from big where n > 19000');
  await limit(16);
  expect(await getDatabase(ada, { project_id })).toMatchObject({ allowance: 'closed' });
  expect(await refused(owner, 'select 1')).toBe('53300');
  await expect(createDatabaseBranch(ada, { project_id, name: 'b', from: 'main' })).rejects.toMatchObject({ code: 'database_not_ready' });
  await limit(1_000);
  expect(await getDatabase(ada, { project_id })).toMatchObject({ allowance: 'full' });
  await ask(owner, 'insert into big values (1)');
  expect((await listDatabaseEvents(ada, { project_id, limit: 3 })).items.map(({ kind, detail }) => `${kind} ${detail}`)).toEqual([
    'allowance_changed full',
    'allowance_changed closed',
    'allowance_changed delete_only',
  ]);
  expect([allowanceFor(96, 100, 'delete_only'), allowanceFor(94, 100, 'delete_only'), allowanceFor(96, 100, 'full')]).toEqual(['delete_only', 'full', 'full']);
});

test('deleted, all of it goes from the server, however often it is dropped, and what came late makes nothing', async () => {
  const project_id = await ready();
  await createDatabaseBranch(ada, { project_id, name: 'late', from: 'main' });
  const late = (await t.ctx.db('database_branches').where({ project_id, name: 'late' }).first('branch_id'))?.branch_id ?? '';
  await prepareProject(t.ctx, late);
  const { server_name = '' } = (await t.ctx.db('database_projects').where({ project_id }).first('server_name')) ?? {};
  await removeDatabase(ada, { project_id, force: false });
  await removeDatabase(ada, { project_id, force: false });
  expect(await makeDatabase(t.ctx, late)).toBe('over');
  await expect(createDatabase(ada, { name: (await getDatabase(ada, { project_id })).name })).rejects.toMatchObject({ code: 'database_exists' });
  for (let time = 0; time < 2; time += 1) {
    for (const branchId of await branchesToDrop(t.ctx, { project_id, branch_id: null })) await dropBranch(t.ctx, branchId);
    await dropProject(t.ctx, project_id);
  }
  await expect(getDatabase(ada, { project_id })).rejects.toMatchObject({ code: 'database_not_found' });
  expect(
    await ask(
      t.databaseUrl,
      `select datname as name from pg_database where datname like '${server_name}%' union all select rolname from pg_roles where rolname like '${server_name}%'`,
    ),
  ).toEqual([]);
  expect(await t.ctx.db('audit_log').where({ target_id: project_id, action: 'database.deleted' })).toHaveLength(3);
});

test('a purge of the account drops its databases, and waits for it', async () => {
  const eve = await t.user('eve');
  const project_id = await ready(eve);
  const of = { job_id: 'job_none', user_id: eve.actor.user_id };
  expect(await stopAccount(t.ctx, of)).toBe(1);
  expect(await stopAccount(t.ctx, of)).toBe(1);
  for (const branchId of await branchesToDrop(t.ctx, { project_id, branch_id: null })) await dropBranch(t.ctx, branchId);
  await dropProject(t.ctx, project_id);
  expect(await stopAccount(t.ctx, of)).toBe(0);
});

test('an earlier version that is deployed again has its databases again', async () => {
  await serve();
  const agent = await liveAgent(t.ctx, ada.actor.user_id, {});
  const variables = () => t.ctx.db('database_bindings').where({ agent_id: agent.id }).orderBy('variable').pluck('variable');
  const manifest = {
    name: agent.name,
    version: '1.0.0',
    entrypoint: 'agent:A',
    resources: { databases: [{ name: 'again', branch: 'main', access: 'owner', variable: 'AGAIN_URL' }] },
  };
  await t.ctx
    .db('deployments')
    .where({ deploy_id: agent.deployId })
    .update({ manifest: JSON.stringify(manifest) });
  await t.ctx.db('agents').where({ agent_id: agent.id }).update({ deploy_count: 1 });
  expect(await variables()).toEqual([]);
  await redeploySource(ada, { name: agent.name });
  expect(await variables()).toEqual(['AGAIN_URL']);
  await provision();
});
