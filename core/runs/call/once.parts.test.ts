// Calls with an idempotency key, through the API and at the agent's own address, on a real Temporal; and how
// large arguments and results may be there.
import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '#api/http/log.ts';
import { createIngress } from '#api/ingress/ingress.ts';
import { type ApiServer, createApiServer } from '#api/server.ts';
import { MAX_VALUE_BYTES } from '#contract/wire/limits.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { createApiToken } from '#core/identity/api-token/create.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { type AgentPools, createAgentPools } from '#drivers/agent-http/pools.ts';
import { LoginError } from '#drivers/idp/port.ts';
import { cites } from '#test/spec/verifies.ts';
import { durableRuns } from '#test/support/durable/runs.ts';
import { durableWorld, type DurableWorld } from '#test/support/durable/world.ts';
import { callAtHost } from '#test/support/calls.ts';

let w: DurableWorld;
let pools: AgentPools;
let ingress: ApiServer;
let ingressUrl: string;
beforeAll(async () => {
  w = await durableWorld();
  const { ctx } = w.t;
  pools = createAgentPools({ connections: 8, inFlight: 16, pools: 4, idleMs: 60_000, connectMs: 1_000 });
  const { front } = createIngress({
    platform: { config: ctx.config, issuer: `${ctx.config.baseUrl}/idp` },
    resolve: (name) => resolveRoute(ctx, name),
    admit: {
      whileAllowed: () => () => undefined,
      authenticate: createAuthenticator({
        db: ctx.db,
        vault: ctx.drivers.vault,
        clock: ctx.clock,
        accessTokens: { verify: () => Promise.reject(new LoginError('invalid', 'no identity provider here')) },
      }),
    },
    call: { callAgent: (call, requestId) => callAtHost({ ...ctx, actor: call.actor, requestId }, call), beginTask: () => Promise.resolve({}) },
    pass: { pools },
    report: { log: createLogger('silent') },
  });
  ingress = createApiServer({ fronts: [front], api: (_request, response) => response.writeHead(404).end(), stopping: new AbortController() });
  ingressUrl = await ingress.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await ingress.close();
  await pools.close();
  await w.close();
});

const { start, becomes, noted, answer, invoke, receipts } = durableRuns(() => w);

interface Said {
  status: number;
  body: unknown;
  text: string;
  headers: Record<string, unknown>;
}

function said(status: number, text: string, headers: Record<string, unknown>): Said {
  return { status, text, headers, body: String(headers['content-type']).includes('json') ? JSON.parse(text) : undefined };
}

async function atApi(skill: string, args: object, headers: Record<string, string>): Promise<Said> {
  const response = await invoke(skill, args, { accept: 'application/json', ...headers });
  return said(response.status, await response.text(), Object.fromEntries(response.headers));
}

async function atHost(skill: string, args: object, headers: Record<string, string>): Promise<Said> {
  const response = await request(`${ingressUrl}/invoke/${skill}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${w.token('ada')}`,
      'content-type': 'application/json',
      accept: 'application/json',
      ...headers,
      host: `${w.agent.name}.${w.t.ctx.config.agentsDomain}`,
    },
    body: JSON.stringify(args),
  });
  return said(response.statusCode, await response.body.text(), response.headers);
}

const ways = [
  ['the API', atApi],
  ["the agent's own address", atHost],
] as const;

test('one key is one run, whichever way it came and however often; other arguments are refused', cites('agents.invoke'), async () => {
  const key = { 'idempotency-key': randomUUID() };
  const before = await noted('tell');
  const args = { times: 3, everyMs: 0 };
  const [first, ...others] = await Promise.all([atApi('tell', args, key), atHost('tell', args, key), atApi('tell', args, key)]);
  others.push(await atHost('tell', args, key));
  expect(first).toMatchObject({ status: 200, body: { told: 3 }, headers: { 'x-svc-run-id': expect.any(String), 'x-svc-receipt-id': expect.any(String) } });
  for (const other of others) {
    expect(other).toMatchObject({ status: 200, body: { told: 3 } });
    for (const name of ['x-svc-run-id', 'x-svc-receipt-id', 'x-svc-trace-id']) expect(other.headers[name], name).toBe(first.headers[name]);
  }
  expect([await noted('tell'), await receipts(String(first.headers['x-svc-run-id']))]).toEqual([before + 1, 1]);
  for (const [, call] of ways) {
    expect(await call('tell', { ...args, times: 4 }, key)).toMatchObject({ status: 409, body: { detail: { code: 'idempotency_key_reused' } } });
    expect((await call('tell', { ...args, times: 1 }, { 'idempotency-key': randomUUID() })).body).toEqual({ told: 1 });
  }
  // It is the run that the same key starts in the background.
  const run = await start('tell', args, key['idempotency-key']);
  expect(run).toMatchObject({ run_id: first.headers['x-svc-run-id'], state: 'succeeded' });
});

test.each(ways)('a caller of %s that leaves finds the answer of its run', async (_name, call) => {
  const key = { 'idempotency-key': randomUUID() };
  const before = await noted('tell');
  const args = { times: 40, everyMs: 25 };
  const leave = new AbortController();
  const lost = fetch(`${w.url}/v1/agents/${w.agent.name}/api/invoke/tell`, {
    method: 'POST',
    headers: { authorization: `Bearer ${w.token('ada')}`, 'content-type': 'application/json', accept: 'application/json', ...key },
    body: JSON.stringify(args),
    signal: leave.signal,
  }).catch(() => 'left');
  await expect.poll(() => noted('tell'), { timeout: 40_000 }).toBe(before + 1);
  leave.abort();
  expect(await lost).toBe('left');
  expect(await call('tell', args, key)).toMatchObject({ status: 200, body: { told: 40 } });
  expect(await noted('tell')).toBe(before + 1);
});

test.each(ways)('at %s a stream is that of the run, from its beginning, each time', async (_name, call) => {
  const key = { 'idempotency-key': randomUUID(), accept: 'text/event-stream' };
  const streams = [await call('tell', { times: 2, everyMs: 0 }, key), await call('tell', { times: 2, everyMs: 0 }, key)];
  for (const { status, text } of streams) {
    const kinds = [...text.matchAll(/^event: (.*)$/gm)].map(([, kind]) => kind);
    expect([status, kinds]).toEqual([200, ['status', 'progress', 'progress', 'result', 'receipt']]);
  }
  expect(streams[0]?.text).toBe(streams[1]?.text);
});

test('what the agent fails with is answered as of a plain call', async () => {
  for (const [, call] of ways) {
    const plain = await call('fail', {}, {});
    const keyed = await call('fail', {}, { 'idempotency-key': randomUUID() });
    const { code } = (plain.body as { detail: { code: string } }).detail;
    expect(code).toBe('skill_invocation_error');
    expect(keyed).toMatchObject({ status: plain.status, body: { detail: { code } } });
  }
  expect(await atApi('no_such', {}, { 'idempotency-key': randomUUID() })).toMatchObject({ status: 404, body: { detail: { code: 'skill_not_found' } } });
});

test.each(ways)('at %s a run that asks is 202, and its answer once it has been answered', async (_name, call) => {
  const key = { 'idempotency-key': randomUUID() };
  const asked = await call('ask', { times: 1 }, key);
  expect(asked).toMatchObject({ status: 202, body: { state: 'waiting', waits: [{ prompt: 'Question 1?' }] } });
  expect(asked.headers['location']).toContain(String(asked.headers['x-svc-run-id'] ?? 'run_'));
  const { run_id } = asked.body as { run_id: string };
  await answer(run_id, 'yes');
  await becomes(run_id, { state: 'succeeded' });
  expect(await call('ask', { times: 1 }, key)).toMatchObject({ status: 200, body: { answers: ['yes'] } });
});

test('a key needs a caller with an account: others are refused, and nothing runs', async () => {
  const before = await noted('tell');
  const key = { 'idempotency-key': randomUUID() };
  const { token } = await createApiToken(w.ada, { name: w.agent.name, label: 'k', scopes: null, expires_in_days: 1 });
  const byToken = { ...key, authorization: `Bearer ${token}` };
  for (const [, call] of ways)
    expect(await call('tell', { times: 1, everyMs: 0 }, byToken)).toMatchObject({ status: 403, body: { detail: { code: 'user_required' } } });
  const nobody = await request(`${ingressUrl}/invoke/tell`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json', host: `${w.agent.name}.${w.t.ctx.config.agentsDomain}` },
    body: '{"times":1,"everyMs":0}',
  });
  expect([nobody.statusCode, await nobody.body.json()]).toMatchObject([401, { detail: { code: 'account_required' } }]);
  expect(await atHost('tell', { times: 1, everyMs: 0 }, { 'idempotency-key': 'k'.repeat(256) })).toMatchObject({ status: 422 });
  expect(await noted('tell')).toBe(before);
});

test('five megabytes of arguments and of a result pass every way; above the limit the refusal names it', async () => {
  const limit = String(MAX_VALUE_BYTES);
  const padding = (bytes: number): string => 'p'.repeat(bytes);
  const large = { bytes: 5_000_000, padding: padding(5_000_000) };
  const over = { bytes: MAX_VALUE_BYTES + 1 };
  for (const [, call] of ways) {
    expect((await call('large', large, {})).text).toHaveLength(5_000_000);
    expect((await call('large', large, { 'idempotency-key': randomUUID() })).text).toHaveLength(5_000_000);
    expect((await call('large', { bytes: MAX_VALUE_BYTES }, {})).status).toBe(200);
    const result = await call('large', over, {});
    expect(result).toMatchObject({ status: 413, body: { detail: { code: 'answer_too_large', message: expect.stringContaining(limit) } } });
    const stream = await call('large', over, { accept: 'text/event-stream' });
    expect(stream.text).toMatch(new RegExp(`event: failed\ndata: .*answer_too_large.*${limit}`));
    const args = await call('large', { bytes: 3, padding: padding(MAX_VALUE_BYTES) }, {});
    expect(args).toMatchObject({ status: 413, body: { detail: { code: 'body_too_large', message: expect.stringContaining(limit) } } });
  }
  const started = await start('large', large);
  await becomes(started.run_id, { state: 'succeeded' });
  const failed = await start('large', over);
  await becomes(failed.run_id, { state: 'failed', error: { code: 'answer_too_large', message: expect.stringContaining(limit) } });
  await expect(start('large', { bytes: 3, padding: padding(MAX_VALUE_BYTES) })).rejects.toMatchObject({ status: 413, detail: { code: 'body_too_large', message: expect.stringContaining(limit) } }); // prettier-ignore
}, 180_000);
