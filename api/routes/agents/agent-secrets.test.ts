// Secrets through the API: what is said of them, who may say it, and where they turn up: in the start of an
// instance and nowhere else.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareInstance } from '#core/deploys/deployment/instance.ts';
import { recordCard } from '#core/deploys/deployment/record-card.ts';
import { checkCard } from '#core/deploys/deployment/card.ts';
import { deploymentRow } from '#core/deploys/deployment/stages.ts';
import { expire } from '#core/platform/housekeeping/expire.ts';
import { parseManifest } from '#contract/wire/manifest.ts';
import { MAX_SECRETS } from '#contract/agents/agent-secrets.ts';
import { liveAgent, type LiveAgent } from '#test/support/runs.ts';
import { addAgent } from '#test/support/verbs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type Who, type World } from '#test/api/world.ts';

const VALUE = 'pl4inly-visible';
let world: World;
let agent: LiveAgent;
let ada: string;
beforeAll(async () => {
  world = await createWorld();
  ada = (await world.ctx.db('users').whereLike('email', 'ada-%').first('user_id'))?.user_id ?? '';
  agent = await freshAgent();
});
afterAll(() => world.close());

async function freshAgent(required: string[] = [], required_env: string[] = []): Promise<LiveAgent> {
  const skill = { id: 'work', name: 'work', input_schema: {}, output_schema: {} };
  const made = await liveAgent(world.ctx, ada, { visibility: 'public', card: { required_secrets: required, required_env, skills: [skill] } });
  const manifest = JSON.stringify({ name: made.name, version: '1.0.0', entrypoint: 'agent:Agent' });
  await world.ctx.db('deployments').where({ deploy_id: made.deployId }).update({ manifest });
  await world.ctx.db('agents').where({ agent_id: made.id }).update({ deploy_count: 1 });
  return made;
}
const secrets = (who: Who = 'ada') => world.as(who).agentSecrets;
const params = (of: LiveAgent = agent) => ({ name: of.name });
const put = (key: string, more: object = {}, of: LiveAgent = agent) => secrets().upsert({ params: params(of), body: { key, value: VALUE, ...more } });
/** The values that the host gets when the live deployment starts again. */
async function started(of: LiveAgent) {
  await world.ctx.db('deployments').where({ deploy_id: of.deployId }).update({ state: 'starting' });
  try {
    return (await prepareInstance(world.ctx, await deploymentRow(world.ctx.db, of.deployId), 'local', 'unused')).start;
  } finally {
    await world.ctx.db('deployments').where({ deploy_id: of.deployId }).update({ state: 'live' });
  }
}
const warnings = async (of: LiveAgent) => (await world.as('ada').agents.deployment({ params: { name: of.name, deploy_id: of.deployId } })).warnings;

verifies('agentSecrets.upsert', 'keeps a value, counts versions, and says when it applies', async () => {
  expect(await put('API_TOKEN')).toMatchObject({ key: 'API_TOKEN', version: 1, inject: null, applies: 'next_start', deploy_id: null });
  expect(await put('API_TOKEN', { value: 'another' })).toMatchObject({ version: 2 });
  expect((await started(agent)).secrets).toMatchObject({ API_TOKEN: 'another' });
});

verifies('agentSecrets.list', 'shows names and versions, what is missing, and nothing made from a value', async () => {
  const needs = await freshAgent(['FIRST', 'SECOND']);
  await put('FIRST', {}, needs);
  const before = await secrets().list({ params: params(needs) });
  expect(before).toMatchObject({ items: [{ key: 'FIRST', version: 1 }], missing: ['SECOND'] });
  expect(Object.keys(before.items[0] ?? {}).sort()).toEqual(['created_at', 'inject', 'key', 'updated_at', 'version']);
  await put('FIRST', { value: VALUE.repeat(3) }, needs);
  const { items } = await secrets().list({ params: params(needs) });
  const { updated_at: _, version: __, ...rest } = items[0] ?? {};
  expect(before.items[0]).toMatchObject(rest);
});

test('a missing one is a warning of the deployment until it is set, and again when it is deleted', async () => {
  const needs = await freshAgent(['FIRST', 'SECOND']);
  const row = await deploymentRow(world.ctx.db, needs.deployId);
  const check = checkCard(row.card, parseManifest(row.manifest));
  expect(await recordCard(world.ctx, row, check)).toHaveLength(2);
  await put('FIRST', {}, needs);
  expect(await warnings(needs)).toMatchObject([{ code: 'secret_missing', message: expect.stringContaining('SECOND') }]);
  // A start that comes now says so, too.
  expect(await recordCard(world.ctx, row, check)).toHaveLength(1);
  await put('SECOND', { inject: { host: 'api.example.com', header: 'x-key' } }, needs);
  expect(await warnings(needs)).toEqual([]);
  await secrets().delete({ params: { ...params(needs), key: 'FIRST' } });
  expect(await warnings(needs)).toMatchObject([{ message: expect.stringContaining('FIRST') }]);
});

test('a variable of the environment is stored, missed and reported like a secret', async () => {
  const needs = await freshAgent(['TOKEN'], ['REGION', 'TOKEN']);
  expect((await secrets().list({ params: params(needs) })).missing).toEqual(['TOKEN', 'REGION']);
  const row = await deploymentRow(world.ctx.db, needs.deployId);
  expect(await recordCard(world.ctx, row, checkCard(row.card, parseManifest(row.manifest)))).toHaveLength(2);
  await put('REGION', {}, needs);
  expect(await warnings(needs)).toMatchObject([{ message: expect.stringContaining('TOKEN') }]);
  await secrets().delete({ params: { ...params(needs), key: 'REGION' } });
  expect(await warnings(needs)).toHaveLength(2);
});

test('one that is injected goes to the egress proxy alone', async () => {
  const plain = await freshAgent();
  await put('KEPT_OUT', { inject: { host: 'api.example.com', header: 'Authorization', scheme: 'Bearer' } }, plain);
  await put('INSIDE', {}, plain);
  const start = await started(plain);
  expect(start.secrets).toEqual({ INSIDE: VALUE });
  expect(start.inject).toEqual([{ host: 'api.example.com', header: 'Authorization', value: `Bearer ${VALUE}` }]);
  const twice = put('AGAIN', { inject: { host: 'api.example.com', header: 'authorization' } }, plain);
  await expect(twice).rejects.toMatchObject({ status: 409, code: 'injection_taken' });
});

test('names, headers, hosts and values that cannot be are refused', async () => {
  for (const key of ['', 'A B', '1A', 'A-B', 'SVC_API_KEY', 'svc_x', 'ä', 'A'.repeat(129), '__proto__ ', 'A\0'])
    await expect(put(key), key).rejects.toMatchObject({ status: 422 });
  const inject = { host: 'api.example.com', header: 'x-key' };
  for (const wrong of ['*.example.com', 'https://a.b', 'a.b:443', '127.0.0.1', '[::1]', 'localhost', 'A.B', 'a..b'])
    await expect(put('X', { inject: { ...inject, host: wrong } }), wrong).rejects.toMatchObject({ status: 422 });
  for (const wrong of ['host', 'Content-Length', 'transfer-encoding', 'x key', 'x:', 'x\r\ny', 'connection'])
    await expect(put('X', { inject: { ...inject, header: wrong } }), wrong).rejects.toMatchObject({ status: 422 });
  for (const value of ['a\r\nb: c', 'ä', ' a', 'a'.repeat(5000)]) await expect(put('X', { inject, value })).rejects.toMatchObject({ status: 422 });
  await expect(put('X', { value: '' })).rejects.toMatchObject({ status: 422 });
  await expect(put('X', { value: 'ä'.repeat(40_000) })).rejects.toMatchObject({ status: 413 });
  await expect(put('X', { value: 'a\0' })).rejects.toMatchObject({ status: 422 });
});

test('they are counted', async () => {
  const many = await freshAgent();
  for (let n = 0; n < MAX_SECRETS; n++) await put(`N${n}`, {}, many);
  await expect(put('ONE_MORE', {}, many)).rejects.toMatchObject({ status: 409, code: 'secret_limit' });
  expect(await put('N7', {}, many)).toMatchObject({ version: 2 });
});

test('fifty at once: fifty versions, and the last one opens', async () => {
  const busy = await freshAgent();
  const set = await Promise.all(Array.from({ length: 50 }, (_, n) => put('BUSY', { value: `v${n}` }, busy)));
  expect(new Set(set.map(({ version }) => version)).size).toBe(50);
  expect((await started(busy)).secrets['BUSY']).toMatch(/^v\d+$/);
});

verifies('agentSecrets.delete', 'takes it away', async () => {
  await put('SHORT_LIVED');
  await secrets().delete({ params: { ...params(), key: 'SHORT_LIVED' } });
  await expect(secrets().delete({ params: { ...params(), key: 'SHORT_LIVED' } })).rejects.toMatchObject({ status: 404, code: 'secret_not_found' });
  expect(await put('SHORT_LIVED')).toMatchObject({ version: 1 });
});

test('only the owner: of a public agent too, somebody else finds none of it', async () => {
  const there = { status: 404, code: 'agent_not_found' };
  await expect(secrets('ben').list({ params: params() })).rejects.toMatchObject(there);
  await expect(secrets('ben').upsert({ params: params(), body: { key: 'X', value: 'y' } })).rejects.toMatchObject(there);
  await expect(secrets('ben').delete({ params: { ...params(), key: 'API_TOKEN' } })).rejects.toMatchObject(there);
});

test('a restart is the live image deployed once more; none while another deployment is under way', async () => {
  const live = await freshAgent();
  const restarted = await secrets().upsert({ params: params(live), query: { restart: true }, body: { key: 'A', value: VALUE } });
  expect(restarted).toMatchObject({ applies: 'restarting' });
  const again = await deploymentRow(world.ctx.db, restarted.deploy_id ?? '');
  const before = await deploymentRow(world.ctx.db, live.deployId);
  expect(again).toMatchObject({ state: 'queued', image: before.image, source_key: before.source_key, card: before.card, public: null });
  expect(
    await world.ctx
      .db('outbox')
      .where({ workflow_id: `deploy:${again.deploy_id}` })
      .first(),
  ).toMatchObject({ kind: 'start' });
  const second = secrets().upsert({ params: params(live), query: { restart: true }, body: { key: 'A', value: VALUE } });
  await expect(second).rejects.toMatchObject({ status: 409, code: 'deployment_under_way' });
  expect((await secrets().list({ params: params(live) })).items).toMatchObject([{ version: 1 }]);
  // Nothing is deleted where the agent cannot be started again without it.
  const gone = { params: { ...params(live), key: 'A' }, query: { restart: true } };
  await expect(secrets().delete(gone)).rejects.toMatchObject({ status: 409, code: 'deployment_under_way' });
  expect((await secrets().list({ params: params(live) })).items).toHaveLength(1);
});

test('a secret that is deleted with a restart is in no instance that starts from then on', async () => {
  const live = await freshAgent();
  await put('LEAKED', {}, live);
  await secrets().delete({ params: { ...params(live), key: 'LEAKED' }, query: { restart: true } });
  const again = await world.ctx.db('deployments').where({ agent_id: live.id, state: 'queued' }).first();
  const before = await deploymentRow(world.ctx.db, live.deployId);
  expect(again).toMatchObject({ image: before.image, source_key: before.source_key });
  expect((await started(live)).secrets).not.toHaveProperty('LEAKED');
  // Nothing live: nothing to start.
  const idle = await addAgent(world.ctx.db, live.ownerId);
  await secrets().upsert({ params: { name: idle.name }, body: { key: 'OLD', value: VALUE } });
  await secrets().delete({ params: { name: idle.name, key: 'OLD' }, query: { restart: true } });
  expect(await world.ctx.db('deployments').where({ agent_id: idle.id, state: 'queued' })).toEqual([]);
});

test('no value is anywhere but sealed: not in a row, an event, the audit log, the outbox, an answer or a log line', async () => {
  const { rows } = await world.ctx.db.raw<{ rows: { name: string }[] }>("select tablename as name from pg_tables where schemaname = 'public'");
  for (const { name } of rows) {
    const found = await world.ctx.db.raw<{ rows: unknown[] }>('select 1 from ?? t where t::text like ? limit 1', [name, `%${VALUE}%`]);
    expect(found.rows, name).toEqual([]);
  }
  expect(world.logs.join('\n')).not.toContain(VALUE);
  expect(JSON.stringify([await secrets().list({ params: params() }), await put('API_TOKEN')])).not.toContain(VALUE);
  const refused = await put('SVC_X').catch((error: unknown) => error);
  expect(JSON.stringify(refused)).not.toContain(VALUE);
});

test('they go with their agent, and so does what its callers gave it and what it remembers of them', async () => {
  const doomed = await freshAgent();
  await put('A', {}, doomed);
  await world.as('ben').installedAgents.install({ params: params(doomed) });
  await world.as('ben').agentMemory.upsert({ params: params(doomed), body: { key: 'k', value: 1 } });
  await world.as('ada').agents.delete({ params: params(doomed) });
  expect(await world.ctx.db('agent_secrets').where({ agent_id: doomed.id })).toEqual([]);
  expect(await world.ctx.db('installed_agents').where({ agent_id: doomed.id })).toEqual([]);
  await expire(world.ctx.db, Date.now());
  expect(await world.ctx.db('agent_memories').where({ agent_id: doomed.id })).toEqual([]);
});
