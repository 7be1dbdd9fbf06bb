// What an agent needs of its callers: set, shown, tried, and asked for before anything runs, by whatever door
// a call comes.
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { dirname } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { socketOf } from '#test/support/agent-socket.ts';
import type { HostCall } from '#core/runs/call/at-host.ts';
import { callAtHost } from '#test/support/calls.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { setupHeadersOfRun } from '#core/agents/setup/call.ts';
import type { Actor } from '#core/kernel/ctx.ts';
import { startRun } from '#core/runs/durable/start.ts';
import { inTx } from '#core/kernel/tx.ts';
import { AgentCard, SetupField } from '#contract/wire/card.ts';
import { liveAgent, runOf, type LiveAgent } from '#test/support/runs.ts';
import { userActor } from '#test/support/verbs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type Who, type World } from '#test/api/world.ts';

const KEY = 'k3y-of-ben';
const fields = [
  { name: 'api_key', kind: 'secret', required: true, title: 'Key', description: 'Of your account there' },
  { name: 'region', required: true, default: 'eu' },
  { name: 'limit', type: 'number' },
  { name: 'strict', type: 'boolean' },
  { name: 'site', type: 'url', scope: 'org' },
].map((field) => SetupField.parse(field));

let world: World;
let agent: LiveAgent;
let plain: LiveAgent;
let users: { ada: string; ben: string };
const servers: Server[] = [];
/** What agents were called with. */
let called: IncomingHttpHeaders[] = [];

async function serve(of: LiveAgent): Promise<LiveAgent> {
  const path = socketOf(world.ctx.drivers.runtime.address(of.instanceId));
  await mkdir(dirname(path), { recursive: true });
  const server = createServer((req, res) => {
    req.resume();
    called.push(req.headers);
    res.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  servers.push(server);
  return of;
}
beforeAll(async () => {
  world = await createWorld();
  const named = async (name: string): Promise<string> => (await world.ctx.db('users').whereLike('email', `${name}-%`).first('user_id'))?.user_id ?? '';
  users = { ada: await named('ada'), ben: await named('ben') };
  agent = await serve(await liveAgent(world.ctx, users.ada, { visibility: 'public', card: { consumer_setup: fields } }));
  plain = await serve(await liveAgent(world.ctx, users.ada, { visibility: 'public' }));
});
afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  await world.close();
});
beforeEach(async () => {
  called = [];
  await world.ctx.db('consumer_setup_values').delete();
});

const setup = (who: Who = 'ben') => world.as(who).consumerSetup;
const params = () => ({ name: agent.name });
const put = (values: Record<string, string | number | boolean | null>, who: Who = 'ben') => setup(who).put({ params: params(), body: { values } });
const call = (who: Who = 'ben', of: LiveAgent = agent) => world.as(who).agents.invoke({ params: { name: of.name, skill_name: 'work' }, body: {} });
const given = (): unknown => JSON.parse(String(called.at(-1)?.['x-svc-setup']));
const refused = { status: 409, code: 'setup_required' };

verifies('consumerSetup.get', 'shows what is needed, where each value comes from, and what is missing', async () => {
  expect(await setup().get({ params: params() })).toMatchObject({
    agent: agent.name,
    complete: false,
    missing: ['api_key'],
    fields: [
      { name: 'api_key', kind: 'secret', source: 'missing', value: null, title: 'Key' },
      { name: 'region', source: 'default', value: 'eu', default: 'eu' },
      { name: 'limit', type: 'number', source: 'missing' },
      { name: 'strict', source: 'missing' },
      { name: 'site', scope: 'org', source: 'missing' },
    ],
  });
  expect(await setup().get({ params: { name: plain.name } })).toMatchObject({ complete: true, fields: [] });
});

verifies('consumerSetup.put', 'keeps typed values, never shows a secret again, and leaves what is not named', async () => {
  expect(await put({ api_key: KEY, limit: 3 })).toMatchObject({ complete: true, missing: [] });
  const after = await put({ region: 'us', strict: false, limit: null });
  expect(JSON.stringify(after)).not.toContain(KEY);
  expect(after.fields.map(({ name, source, value }) => [name, source, value])).toEqual([
    ['api_key', 'user', null],
    ['region', 'user', 'us'],
    ['limit', 'missing', null],
    ['strict', 'user', false],
    ['site', 'missing', null],
  ]);
  const rows = await world.ctx.db('consumer_setup_values').where({ field_name: 'api_key' });
  expect(rows).toMatchObject([{ value: null, value_sealed: expect.stringMatching(/^v1\./) }]);
});

test('every value that does not fit is named, and none is said back', async () => {
  const wrong = await put({ api_key: 7, limit: 'three', strict: 'yes', site: 'javascript:alert(1)', unknown: 'x', region: '' }).catch(
    (error: unknown) => error,
  );
  expect(wrong).toMatchObject({ status: 422 });
  const { issues } = Object(wrong).detail;
  expect(issues.map(({ path }: { path: unknown[] }) => path.at(-1)).sort()).toEqual(['api_key', 'limit', 'region', 'site', 'strict', 'unknown']);
  expect(JSON.stringify(issues)).not.toMatch(/three|javascript/);
  expect(await world.ctx.db('consumer_setup_values')).toEqual([]);
  await expect(put({ api_key: 'x'.repeat(8_000), region: 'x'.repeat(8_000) })).rejects.toMatchObject({ status: 413, code: 'setup_too_large' });
  // As the header writes them: six characters each.
  await expect(put({ region: '\u00e4'.repeat(2_500) })).rejects.toMatchObject({ status: 413 });
  for (const name of ['__proto__', 'a b', 'a\0', 'x'.repeat(65)]) await expect(put({ [name]: 'x' }), name).rejects.toMatchObject({ status: 422 });
});

test('a call of an agent that still needs something does not begin: by the API, at its host, as tool, as task, as a run', async () => {
  const expected = {
    ...refused,
    detail: { agent: agent.name, path: `/v1/agents/${agent.name}/consumer-setup`, missing: [{ name: 'api_key', kind: 'secret', type: 'string' }] },
  };
  await expect(call()).rejects.toMatchObject(expected);
  const route = await resolveRoute(world.ctx, agent.name);
  if (!route) throw new Error('no route');
  const ben: Actor = userActor(users.ben);
  const atHost = (face: HostCall['face'], body: unknown, actor: Actor = ben) =>
    callAtHost({ ...world.ctx, actor }, { route, actor, face, body: Buffer.from(JSON.stringify(body)), headers: [], signal: new AbortController().signal });
  const tool = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work', arguments: {} } };
  const task = { message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: '@work' }] } };
  const code = { name: 'Conflict', code: 'setup_required' };
  await expect(atHost({ kind: 'skill', skill: 'work' }, {})).rejects.toMatchObject(code);
  await expect(atHost({ kind: 'tools' }, tool)).rejects.toMatchObject(code);
  await expect(atHost({ kind: 'task', path: '/message:send' }, task)).rejects.toMatchObject(code);
  await expect(atHost({ kind: 'skill', skill: 'work' }, {}, { kind: 'anonymous' })).rejects.toMatchObject(code);
  const run = { userId: users.ben, agent: agent.name, skill: 'work', args: {} };
  await expect(inTx({ ...world.ctx, actor: { kind: 'platform', service: 'test' } }, (ctx) => startRun(ctx, run))).rejects.toMatchObject(code);
  const parent = runOf(world.ctx, plain, users.ben);
  await expect(atHost({ kind: 'skill', skill: 'work' }, {}, parent.actor)).rejects.toMatchObject(code);
  expect(called).toEqual([]);
  expect(await world.ctx.db('receipts').where({ agent_id: agent.id })).toEqual([]);
  expect(await world.ctx.db('runs').where({ agent_id: agent.id })).toEqual([]);
});

test('what is set goes with each call of that person, and of runs and tokens that act for them; no other call gets it', async () => {
  await put({ api_key: KEY, region: 'öst \u{1F600}', limit: 1.5, strict: false });
  await call();
  expect(given()).toEqual({ api_key: KEY, region: 'öst \u{1F600}', limit: 1.5, strict: false });
  expect(called[0]?.['x-svc-setup']).toMatch(/^[\x20-\x7e]+$/);
  await expect(call('ada')).rejects.toMatchObject(refused);
  await put({ api_key: 'of ada' }, 'ada');
  await call('ada');
  expect(given()).toEqual({ api_key: 'of ada', region: 'eu' });
  const route = await resolveRoute(world.ctx, agent.name);
  if (!route) throw new Error('no route');
  const asked = async (actor: Actor) => {
    const face = { kind: 'skill', skill: 'work' } as const;
    await callAtHost({ ...world.ctx, actor }, { route, actor, face, body: Buffer.from('{}'), headers: [], signal: new AbortController().signal });
    return given();
  };
  expect(await asked(runOf(world.ctx, plain, users.ben).actor)).toMatchObject({ api_key: KEY });
  expect(await asked({ kind: 'api_token', token_id: 'tok_1', agent_id: agent.id, owner_id: users.ada })).toMatchObject({ api_key: 'of ada' });
  const later = await setupHeadersOfRun(world.ctx, { agentId: agent.id, deployId: agent.deployId, userId: users.ben });
  expect(JSON.parse(later['x-svc-setup'] ?? '')).toMatchObject({ api_key: KEY });
  await call('ben', plain);
  expect(called.at(-1)).not.toHaveProperty('x-svc-setup');
});

verifies('consumerSetup.invocation', 'says what a call would find, tries values without keeping them, and shows no secret', async () => {
  const tried = await setup().invocation({ params: params(), body: { values: { api_key: KEY, limit: 2 } } });
  expect(tried).toMatchObject({ ready: true, missing: [], path: `/v1/agents/${agent.name}/consumer-setup` });
  expect(tried.fields.slice(0, 3)).toEqual([
    { name: 'api_key', kind: 'secret', required: true, source: 'user', value: null },
    { name: 'region', kind: 'config', required: true, source: 'default', value: 'eu' },
    { name: 'limit', kind: 'config', required: false, source: 'user', value: 2 },
  ]);
  expect(await setup().invocation({ params: params(), body: {} })).toMatchObject({ ready: false, missing: ['api_key'] });
  await expect(setup().invocation({ params: params(), body: { values: { limit: 'x' } } })).rejects.toMatchObject({ status: 422 });
});

verifies('consumerSetup.delete', "takes one's own value back, and the next call is refused again", async () => {
  await put({ api_key: KEY });
  await put({ api_key: 'of ada' }, 'ada');
  await setup().delete({ params: { ...params(), field_name: 'api_key' } });
  await expect(call()).rejects.toMatchObject(refused);
  await expect(setup().delete({ params: { ...params(), field_name: 'api_key' } })).rejects.toMatchObject({ status: 404, code: 'setup_value_not_found' });
  await call('ada');
});

verifies('consumerSetup.putOrg', 'finds no organization one does not belong to', async () => {
  const body = { organization: 'acme', values: {} };
  await expect(setup().putOrg({ params: params(), body })).rejects.toMatchObject({ status: 404, code: 'organization_not_found' });
});

test('a value is not used for what its field has become: a secret never as a plain one, a text never as a number', async () => {
  await put({ api_key: KEY, region: 'us' });
  const changed = fields.map((field) =>
    field.name === 'api_key' ? { ...field, kind: 'config' } : field.name === 'region' ? { ...field, type: 'number', default: 1 } : field,
  );
  const other = await serve(await liveAgent(world.ctx, users.ada, { visibility: 'public', card: { consumer_setup: changed } }));
  await world.ctx.db('consumer_setup_values').update({ agent_id: other.id });
  const shown = await setup().get({ params: { name: other.name } });
  expect(shown.fields.slice(0, 2)).toMatchObject([
    { source: 'missing', value: null },
    { source: 'default', value: 1 },
  ]);
  await expect(call('ben', other)).rejects.toMatchObject(refused);
});

test('a card with ten thousand fields, two of a name, a secret with a default, or endless defaults is no card', () => {
  const card = (consumer_setup: unknown[]) => AgentCard.safeParse({ name: 'a', description: '', version: '1.0.0', skills: [], consumer_setup }).success;
  expect(card(fields)).toBe(true);
  expect(card(Array.from({ length: 10_000 }, (_, n) => ({ name: `f${n}` })))).toBe(false);
  expect(card([{ name: 'a' }, { name: 'a' }])).toBe(false);
  expect(card([{ name: 'a', kind: 'secret', default: 'x' }])).toBe(false);
  expect(card([{ name: 'a', type: 'number', default: 'x' }])).toBe(false);
  expect(card(Array.from({ length: 64 }, (_, n) => ({ name: `f${n}`, default: 'x'.repeat(1_000) })))).toBe(false);
  for (const name of ['', '__proto__', 'a-b', 'a b', '1']) expect(card([{ name }]), name).toBe(false);
});

test('no value of a secret is in a row, a log line or a receipt', async () => {
  await put({ api_key: KEY });
  await call();
  const { rows } = await world.ctx.db.raw<{ rows: { name: string }[] }>("select tablename as name from pg_tables where schemaname = 'public'");
  for (const { name } of rows) {
    const found = await world.ctx.db.raw<{ rows: unknown[] }>('select 1 from ?? t where t::text like ? limit 1', [name, `%${KEY}%`]);
    expect(found.rows, name).toEqual([]);
  }
  expect(world.logs.join('\n')).not.toContain(KEY);
});

verifies('installedAgents.install', 'installs public agents and own ones, once, with what they still need; others do not exist', async () => {
  const mine = world.as('ben').installedAgents;
  const first = await mine.install({ params: params() });
  expect(first).toMatchObject({ name: agent.name, mine: false, available: true, setup: { complete: false, missing: ['api_key'] } });
  await put({ api_key: KEY });
  expect(await mine.install({ params: params(), body: {} })).toMatchObject({ installed_at: first.installed_at, setup: { complete: true } });
  const hidden = await liveAgent(world.ctx, users.ada);
  await expect(mine.install({ params: { name: hidden.name } })).rejects.toMatchObject({ status: 404 });
  expect(await world.as('ada').installedAgents.install({ params: { name: hidden.name } })).toMatchObject({ mine: true });
});
verifies('installedAgents.list', 'lists the newest first, page by page, and says of what is no longer public only its name', async () => {
  const mine = world.as('ben').installedAgents;
  const gone = await liveAgent(world.ctx, users.ada, { visibility: 'public', card: { consumer_setup: fields } });
  for (const { name } of [plain, gone]) await mine.install({ params: { name } });
  await world.ctx.db('agents').where({ agent_id: gone.id }).update({ visibility: 'unlisted', description: 'not theirs to read' });
  const one = await mine.list({ query: { limit: 2 } });
  expect(one.items).toMatchObject([{ name: gone.name, available: false, description: '', version: null, setup: { missing: [] } }, { name: plain.name }]);
  const two = await mine.list({ query: { limit: 2, cursor: one.next_cursor ?? '' } });
  expect(two).toMatchObject({ items: [{ name: agent.name }], next_cursor: null });
  await mine.install({ params: { name: gone.name }, body: { installed: false } });
  expect((await mine.list()).items.map(({ name }) => name)).toEqual([plain.name, agent.name]);
  expect(JSON.stringify(await world.as('ada').installedAgents.list())).not.toContain(plain.name);
});
