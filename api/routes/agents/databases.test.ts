// Databases through the API, on a real server: the test's own cluster.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { finishBranch, makeDatabase, makeLogins, prepareProject } from '#core/agents/database/provision.ts';
import { tendServer } from '#core/agents/database/tend.ts';
import { prepareInstance } from '#core/deploys/deployment/instance.ts';
import { deploymentRow } from '#core/deploys/deployment/stages.ts';
import { ask } from '#drivers/databases/conformance.ts';
import { postgresServer } from '#drivers/databases/postgres.ts';
import { verifies } from '#test/spec/verifies.ts';
import { greeterFiles, tarball } from '#test/support/project.ts';
import { liveAgent } from '#test/support/runs.ts';
import { setSetting } from '#test/support/settings.ts';
import { testDatabase } from '#test/support/servers.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let ada: string;
beforeAll(async () => {
  world = await createWorld();
  world.ctx.drivers.databases = postgresServer({ adminUrl: (await testDatabase()).url });
  await tendServer(world.ctx, 'local');
  ada = (await world.ctx.db('users').whereLike('email', 'ada-%').first('user_id'))?.user_id ?? '';
});
afterAll(() => world.close());

const parts = (who: 'ada' | 'ben' = 'ada') => createClient({ baseUrl: world.url, token: world.tokens[who] }).databases;
async function provision(): Promise<void> {
  for (const branchId of await world.ctx.db('database_branches').where({ state: 'pending' }).pluck('branch_id'))
    for (const step of [prepareProject, makeDatabase, makeLogins, finishBranch]) await step(world.ctx, branchId);
}

verifies(['databases.create', 'databases.list', 'databases.get'], 'makes a database that only the account lists and reads', async () => {
  const made = await world.as('ben').databases.create({ body: { name: 'ledger' } });
  expect(made).toMatchObject({ state: 'pending', engine: 'postgres', branches: [{ name: 'main', state: 'pending' }] });
  await expect(world.as('ben').databases.create({ body: { name: 'ledger' } })).rejects.toMatchObject({ status: 409, code: 'database_exists' });
  await expect(world.as('ben').databases.create({ body: { name: 'Ledger!' } })).rejects.toMatchObject({ status: 422 });
  await provision();
  const params = { project_id: made.project_id };
  expect(await world.as('ben').databases.get({ params })).toMatchObject({ state: 'ready', allowance: 'full' });
  expect(await world.as('ben').databases.list()).toMatchObject({ items: [{ name: 'ledger' }], limit: 5, next_cursor: null });
  await expect(world.as('ada').databases.get({ params })).rejects.toMatchObject({ status: 404, code: 'database_not_found' });
  expect((await world.as('ada').databases.list()).items.map(({ name }) => name)).not.toContain('ledger');
});

verifies('databases.provisionerStatus', 'shows the heartbeat that the worker wrote, and what waits', async () => {
  await world.as('ada').databases.create({ body: { name: 'waiting' } });
  expect(await world.as('ada').databases.provisionerStatus()).toMatchObject({ served: true, healthy: true, pending: 1, error: null });
  await world.ctx.db('database_provisioners').update({ heartbeat_at: new Date(Date.now() - 120_000) });
  expect(await world.as('ada').databases.provisionerStatus()).toMatchObject({ served: true, healthy: false });
  await tendServer(world.ctx, 'local');
  await provision();
  expect(await world.as('ada').databases.provisionerStatus()).toMatchObject({ healthy: true, pending: 0 });
});

test('its parts: a branch, an agent, a URL, a new password, the end', async () => {
  const { project_id } = await world.as('ada').databases.create({ body: { name: 'parts' } });
  await provision();
  const params = { project_id };
  await parts().createBranch({ params, body: { name: 'preview' } });
  await provision();
  const agent = world.records['name'] ?? '';
  const bound = await parts().bind({ params, body: { agent, branch: 'preview', variable: 'PARTS_URL', restart: false } });
  expect(bound).toMatchObject({ applies: 'next_start', binding: { agent, branch: 'preview', access: 'owner', variable: 'PARTS_URL' } });
  for (const variable of ['SVC_URL', 'LD_PRELOAD', 'NODE_OPTIONS', 'lower', 'PYTHONPATH'])
    await expect(parts().bind({ params, body: { agent, variable } })).rejects.toMatchObject({ status: 422 });
  const { url } = await parts().reveal({ params, body: { branch: 'preview', access: 'owner' } });
  expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(JSON.stringify(await world.as('ada').databases.get({ params }))).not.toContain(new URL(url).password);
  expect((await parts().rotate({ params, body: { branch: 'preview', access: 'owner' } })).branches[1]?.roles).toContainEqual(
    expect.objectContaining({ access: 'owner', rotating: true }),
  );
  await expect(parts().removeBranch({ params: { ...params, branch: 'preview' } })).rejects.toMatchObject({ status: 409, code: 'database_in_use' });
  await parts().unbind({ params: { ...params, binding_id: bound.binding.binding_id } });
  await parts().removeBranch({ params: { ...params, branch: 'preview' } });
  await parts().remove({ params });
  const { items } = await parts().events({ params, query: { limit: 3 } });
  expect(items.map(({ kind }) => kind)).toEqual(['project_deleting', 'branch_deleting', 'unbound']);
  await expect(parts('ben').events({ params })).rejects.toMatchObject({ status: 404 });
});

/** As `svc deploy` sends it. */
async function deploy(name: string, resources: string): Promise<unknown> {
  const files = greeterFiles(name);
  const form = new FormData();
  const source = await tarball({ ...files, 'svc.yaml': `${files['svc.yaml']}resources:\n${resources}` });
  form.set('source', new Blob([new Uint8Array(source)]), 'source.tar.gz');
  return world.as('ada').agents.fromTarball({ body: form });
}
const agentNamed = (name: string) => world.ctx.db('agents').where({ name }).first('agent_id');

test('svc.yaml: what is missing is on its way before anything is built, and a malformed member fails the deploy with its name', async () => {
  // Beside those of the records.
  await setSetting(world.ctx, 'databases_per_account', 8);
  await deploy('declaring', '  databases:\n    - name: declared\n    - { name: declared, access: read_only, variable: REPORTS_URL }\n');
  const { agent_id = '' } = (await agentNamed('declaring')) ?? {};
  const bound = await world.ctx.db('database_bindings').where({ agent_id }).orderBy('variable').select('variable', 'declared');
  expect(bound).toEqual([
    { variable: 'DATABASE_URL', declared: true },
    { variable: 'REPORTS_URL', declared: true },
  ]);
  expect((await world.as('ada').databases.list()).items.find(({ name }) => name === 'declared')).toMatchObject({ state: 'pending' });
  const malformed = {
    '  databases:\n    - name: Not A Name\n': /resources\.databases\.0\.name/,
    '  databases:\n    - { name: one, access: all }\n': /resources\.databases\.0\.access/,
    '  databases:\n    - { name: one, variable: LD_PRELOAD }\n': /resources\.databases\.0\.variable/,
    '  databases:\n    - name: one\n    - name: two\n': /resources\.databases\.1\.variable: two databases are given as DATABASE_URL/,
    '  database: postgres\n  databases:\n    - name: one\n': /resources\.databases: resources\.database is DATABASE_URL already/,
    '  databases:\n    - { name: declared, branch: none }\n': /resources\.databases\.0: declared has no branch none/,
  };
  for (const [resources, message] of Object.entries(malformed))
    await expect(deploy('malformed', resources)).rejects.toMatchObject({
      status: expect.toSatisfy((status: number) => [400, 409, 422].includes(status)),
      message: expect.stringMatching(message),
    });
  expect(await agentNamed('malformed')).toBeUndefined();
  await provision();
});

test('the host is given the URL for the agent, and for its proxy where it leads, without the password', async () => {
  const agent = await liveAgent(world.ctx, ada, {});
  const manifest = JSON.stringify({ name: agent.name, version: '1.0.0', entrypoint: 'agent:Agent' });
  await world.ctx.db('deployments').where({ deploy_id: agent.deployId }).update({ manifest, state: 'starting' });
  const { project_id } = await world.as('ada').databases.create({ body: { name: 'started' } });
  await provision();
  await parts().bind({ params: { project_id }, body: { agent: agent.name, restart: false } });
  const { start } = await prepareInstance(world.ctx, await deploymentRow(world.ctx.db, agent.deployId), 'local', 'unused');
  const url = new URL(start.env['DATABASE_URL'] ?? '');
  expect([url.host, start.secrets['DATABASE_URL']]).toEqual(['127.0.0.1:5432', url.href]);
  const { host, port } = world.ctx.drivers.databases?.endpoint ?? {};
  expect(start.databases).toEqual([{ host, port, tls: false, database: url.pathname.slice(1), user: url.username }]);
  expect(JSON.stringify(start.databases)).not.toContain(url.password);
});
