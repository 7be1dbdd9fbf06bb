// Agents that require account access: the platform funds some calls of each account, then the caller needs a
// model of their own.
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseManifest } from '#contract/wire/manifest.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { callAtHost, invokeSkill } from '#test/support/calls.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import type { Actor } from '#core/kernel/ctx.ts';
import { socketOf } from '#test/support/agent-socket.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import { userActor } from '#test/support/verbs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

const FUNDED = 4;
let world: World;
let ada: string;
let ben: string;
let agent: LiveAgent;
let machine: Server;
/** Calls that reached the agent. */
let reached: number;

beforeAll(async () => {
  world = await createWorld();
  const { db } = world.ctx;
  const userOf = async (token: string) =>
    (
      await db('platform_tokens')
        .where({ token_hash: hashSecret(token) })
        .first('user_id')
    )?.user_id ?? '';
  [ada, ben] = [await userOf(world.tokens.ada), await userOf(world.tokens.ben)];
  const settings = world.as('operator').admin;
  await settings.putSetting({ params: { key: 'funded_calls_per_agent' }, body: { value: FUNDED, version: 0 } });
});
afterAll(() => world.close());
beforeEach(async () => {
  reached = 0;
  const greet = { id: 'greet', name: 'greet', input_schema: { type: 'object' }, output_schema: {} };
  agent = await liveAgent(world.ctx, ada, { visibility: 'public', card: { skills: [greet, { ...greet, id: 'other' }] } });
  await world.ctx
    .db('deployments')
    .where({ deploy_id: agent.deployId })
    .update({ manifest: JSON.stringify({ account_access: { required: true } }) });
  machine = createServer((req, res) => {
    if (req.url?.startsWith('/invoke/')) reached += 1;
    req.resume();
    res.writeHead(200, { 'content-type': 'application/json' }).end('"hello"');
  });
  const path = socketOf(world.ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  await new Promise<void>((resolve) => machine.listen(path, resolve));
});
afterEach(() => {
  machine.closeAllConnections();
  machine.close();
});

const access = (who: 'ada' | 'ben' = 'ben') => world.as(who).agents.accountAccess({ params: { name: agent.name } });
const call = (actor: Actor = userActor(ben)) =>
  invokeSkill({ ...world.ctx, actor }, { name: agent.name, skill_name: 'greet', args: {}, accept: undefined, signal: new AbortController().signal });
const outcomes = async (calls: Promise<unknown>[]) => {
  const settled = await Promise.allSettled(calls);
  const refusals = settled.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code?: string }).code] : []));
  return { passed: settled.length - refusals.length, refusals: [...new Set(refusals)] };
};

verifies('agents.accountAccess', 'shows what is funded, used and left, and the way on', async () => {
  const facts = {
    required: true,
    platform_skill_calls: FUNDED,
    after_trial: 'byok',
    has_byok: false,
    setup_url: `${world.ctx.config.baseUrl}/v1/me/llm-creds`,
  };
  expect(await access()).toEqual({ ...facts, used: 0, remaining: FUNDED });
  await call();
  expect(await access()).toEqual({ ...facts, used: 1, remaining: FUNDED - 1 });
  await world.ctx.db('agents').where({ agent_id: agent.id }).update({ visibility: 'unlisted' });
  await expect(access()).rejects.toMatchObject({ status: 404 });
  expect(await access('ada')).toMatchObject({ used: 0 });
});

test('100 racing calls with 3 left: exactly 3 pass, by whatever way in; the others reach no agent and get a remedy', async () => {
  await call();
  reached = 0;
  const route = await resolveRoute(world.ctx, agent.name);
  if (!route) throw new Error('not live');
  const atHost = () => {
    const signal = new AbortController().signal;
    const headers = ['authorization', `Bearer ${route.apiKey}`, 'content-type', 'application/json'];
    return callAtHost(
      { ...world.ctx, actor: userActor(ben) },
      { route, actor: userActor(ben), face: { kind: 'skill', skill: 'greet' }, body: Buffer.from('{}'), headers, signal },
    );
  };
  const racing = Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? call() : atHost()));
  expect(await outcomes(racing)).toEqual({ passed: 3, refusals: ['account_access_used_up'] });
  expect(reached).toBe(3);
  expect(await access()).toMatchObject({ used: FUNDED, remaining: 0 });
  await expect(call()).rejects.toMatchObject({
    code: 'account_access_used_up',
    details: { after_trial: 'byok', setup_url: expect.any(String) },
    message: expect.stringContaining('svc models set'),
  });
  const start = world.as('ben').agents.startRun({ params: { name: agent.name, skill_name: 'greet' }, body: {}, headers: {} });
  await expect(start).rejects.toMatchObject({ status: 409, code: 'account_access_used_up' });
});

test('a model of their own takes over; accounts and agents are counted apart', async () => {
  await outcomes(Array.from({ length: FUNDED + 1 }, () => call()));
  await expect(call()).rejects.toMatchObject({ code: 'account_access_used_up' });
  await world.as('ben').llmCreds.put({ body: { name: 'mine', provider: 'openai', api_key: 'sk-example-0123456789' } });
  await call();
  expect(await access()).toMatchObject({ has_byok: true, used: FUNDED, remaining: 0 });
  await world.as('ben').llmCreds.remove({ params: { name: 'mine' } });
  await expect(call()).rejects.toMatchObject({ code: 'account_access_used_up' });
  const other = await liveAgent(world.ctx, ada, { visibility: 'public' });
  expect(await world.as('ben').agents.accountAccess({ params: { name: other.name } })).toMatchObject({ required: false, used: 0, remaining: FUNDED });
});

test('calls of the owner, of a token on their account and of their own runs are not counted; anonymous calls are refused', async () => {
  const token: Actor = { kind: 'api_token', token_id: 'tok_x', agent_id: agent.id, owner_id: ada };
  const mine = await liveAgent(world.ctx, ada);
  for (const actor of [userActor(ada), token, runOf(world.ctx, mine, ada).actor, runOf(world.ctx, mine, null).actor])
    expect(await outcomes(Array.from({ length: FUNDED + 2 }, () => call(actor)))).toEqual({ passed: FUNDED + 2, refusals: [] });
  expect(await world.ctx.db('account_access').where({ agent_id: agent.id })).toEqual([]);
  const route = await resolveRoute(world.ctx, agent.name);
  if (!route) throw new Error('not live');
  const anonymous: Actor = { kind: 'anonymous' };
  const nobody = callAtHost(world.ctx, {
    route,
    actor: anonymous,
    face: { kind: 'skill', skill: 'greet' },
    body: Buffer.from('{}'),
    headers: [],
    signal: new AbortController().signal,
  });
  await expect(nobody).rejects.toMatchObject({ code: 'account_required' });
});

test('an agent in between spends the calls of the user it works for; tools of one request are counted each, all or none', async () => {
  const mine = await liveAgent(world.ctx, ada);
  await call(runOf(world.ctx, mine, ben).actor);
  expect(await access()).toMatchObject({ used: 1 });
  const route = await resolveRoute(world.ctx, agent.name);
  if (!route) throw new Error('not live');
  const tools = (n: number) => {
    const body = Buffer.from(
      JSON.stringify(Array.from({ length: n }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'greet', arguments: {} } }))),
    );
    return callAtHost(world.ctx, { route, actor: userActor(ben), face: { kind: 'tools' }, body, headers: [], signal: new AbortController().signal });
  };
  await expect(tools(FUNDED)).rejects.toMatchObject({ code: 'account_access_used_up' });
  expect(await access()).toMatchObject({ used: 1 });
  await tools(FUNDED - 1);
  expect(await access()).toMatchObject({ used: FUNDED });
});

test('svc.yaml says it with true or false', () => {
  const manifest = { name: 'shop', version: '1.0.0', entrypoint: 'agent:Shop' };
  expect(parseManifest({ ...manifest, account_access: { required: true } }).account_access).toEqual({ required: true });
  for (const account_access of [true, {}, { required: 'yes' }, { required: true, calls: 3 }])
    expect(() => parseManifest({ ...manifest, account_access })).toThrow('svc.yaml: account_access');
});
