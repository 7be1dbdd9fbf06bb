// Calls through the platform to a real agent server on an instance's socket; only the machine around it is
// missing.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { verifyAsync } from '@noble/ed25519';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cites } from '#test/spec/verifies.ts';
import { socketOf } from '#test/support/agent-socket.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';
import { verifySession } from '#contract/wire/session.ts';
import { Agent, skill, z } from '#sdk/typescript/index.ts';
import { startAgent, type StartedAgent } from '#sdk/typescript/runtime.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { publishedKeys } from '../../evidence/receipt/published-keys.ts';
import { newId } from '../../kernel/ids.ts';
import { listSessions } from '../session/list.ts';
import { followSession } from '../session/read.ts';
import { addAgent } from '#test/support/verbs.ts';
import { apiKeyContext, resolveRoute, type AgentRoute } from '../../agents/route/resolve.ts';
import { sha256 } from '../run/hash.ts';
import { sweepLostCalls } from './lost-calls.ts';
import { startHeartbeat } from './open-calls.ts';
import { callTools, invokeSkill } from '#test/support/calls.ts';
import type { SkillAnswer } from '#api/http/call-answer.ts';

let cancelled: () => void = () => undefined;

class Sample extends Agent {
  override name = 'sample';
  override description = 'For tests';
  override version = '1.2.3';
  greet = skill({ input: z.object({ name: z.string() }), output: z.object({ text: z.string() }) }, async (_ctx, { name }) => ({ text: `Hello, ${name}!` }));
  tries = 0;
  flaky = skill({ idempotent: true, maxRetries: 1 }, async () => {
    this.tries += 1;
    if (this.tries === 1) throw new Error('not yet');
    return this.tries;
  });
  fail = skill({ input: z.object({}), output: z.object({}) }, async () => {
    throw new Error('the inside of the agent');
  });
  count = skill({ input: z.object({ to: z.int() }), output: z.object({ sum: z.int() }), stream: true }, async (ctx, { to }) => {
    for (let n = 1; n <= to; n += 1) void ctx.emitTextDelta(`${n}`);
    return { sum: to };
  });
  wait = skill({ input: z.object({}), output: z.object({}), stream: true }, async (ctx) => {
    void ctx.emitTextDelta('waiting');
    ctx.signal.addEventListener('abort', () => cancelled());
    await delay(60_000, undefined, { signal: ctx.signal });
    return {};
  });
}

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let agent: { id: string; name: string };
let server: StartedAgent;

beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  ben = await t.user('ben');
  agent = await addAgent(t.ctx.db, ada.actor.user_id, { live: true });
  const instance = newId('ins');
  const { live_deploy_id } = (await t.ctx.db('agents').where({ agent_id: agent.id }).first('live_deploy_id')) ?? {};
  await t.ctx
    .db('deployments')
    .where({ deploy_id: live_deploy_id ?? '' })
    .update({ version: '1.2.3', image: 'sha256:1', card: JSON.stringify({ runtime: { resources: { max_runtime_seconds: 30 } } }) });
  const api_key_sealed = await t.ctx.drivers.vault.seal(Buffer.from('the-key'), apiKeyContext(instance));
  await t.ctx.db('instances').insert({
    instance_id: instance,
    deploy_id: live_deploy_id ?? '',
    agent_id: agent.id,
    node: 'local',
    state: 'serving',
    api_key_sealed,
    runtime: 'sha256:runtime',
  });
  const path = socketOf(t.ctx.drivers.runtime.address(instance));
  await mkdir(dirname(path), { recursive: true });
  server = await startAgent(Sample, { apiKey: 'the-key', listen: { path }, onLog: () => undefined });
});
afterAll(async () => {
  await server.shutdown();
  await t.close();
});

const here = new AbortController().signal;
const call = (skill_name: string, args: Record<string, unknown>, signal = here): Promise<SkillAnswer> =>
  invokeSkill(ada, { name: agent.name, skill_name, args, accept: undefined, signal });
const receipts = async (): Promise<{ skill: string; status: string; payload: unknown }[]> =>
  t.ctx.db('receipts').where({ agent_id: agent.id }).orderBy('seq', 'desc');
const refusal = (promise: Promise<unknown>): Promise<{ name: string; code: string; details: Record<string, unknown> }> =>
  promise.then(
    () => Promise.reject(new Error('was not refused')),
    (error) => error,
  );

describe('through the API', () => {
  test('the answer comes with its receipt: who, what, with which hashes', cites('agents.invoke'), async () => {
    const out = await call('greet', { name: 'Ada' });
    expect(out).toMatchObject({ status: 200, body: { text: 'Hello, Ada!' } });
    const [receipt] = await receipts();
    expect(receipt?.payload).toMatchObject({ receipt_id: out.headers['x-svc-receipt-id'] });
    expect(receipt?.payload).toMatchObject({
      skill: 'greet',
      status: 'ok',
      agent: { name: agent.name, version: '1.2.3', image: 'sha256:1' },
      caller: { kind: 'user', id: ada.actor.user_id },
      runtime: 'sha256:runtime',
      input_sha256: sha256(canonicalJson({ name: 'Ada' })),
      output_sha256: sha256(canonicalJson({ text: 'Hello, Ada!' })),
    });
  });

  test('every call is a session that only its caller and the owner list and read; it verifies with the published keys', async () => {
    const eve = await t.user('eve');
    await t.ctx.db('agents').where({ agent_id: agent.id }).update({ visibility: 'public' });
    const out = await invokeSkill(ben, { name: agent.name, skill_name: 'greet', args: { name: 'Ben' }, accept: undefined, signal: here });
    const failed = await refusal(invokeSkill(ben, { name: agent.name, skill_name: 'fail', args: {}, accept: undefined, signal: here }));
    await call('greet', { name: 'Ada' });
    await t.ctx.db('agents').where({ agent_id: agent.id }).update({ visibility: 'unlisted' });
    const session_id = (out.headers['x-svc-receipt-id'] ?? '').replace('rcp_', 'ags_');
    const mine = await listSessions(ben, { name: agent.name, limit: 10 });
    expect(mine.items).toMatchObject([
      { skill: 'fail', state: 'failed' },
      { session_id, agent: agent.name, version: '1.2.3', skill: 'greet', state: 'succeeded', job_id: null, last_seq: 0, sealed: true },
    ]);
    expect(failed.details['receipt_id']).toBe(mine.items[0]?.session_id.replace('ags_', 'rcp_'));
    const page = await listSessions(ada, { name: agent.name, limit: 2 });
    const rest = await listSessions(ada, { name: agent.name, limit: 100, cursor: page.next_cursor ?? '' });
    const all = [...page.items, ...rest.items].map((one) => one.session_id);
    expect(all.slice(1, 3)).toEqual(mine.items.map((one) => one.session_id));
    expect([all.length, new Set(all).size]).toEqual([(await receipts()).length, all.length]);
    const read = async (as: TestUser, after = 0): Promise<string> =>
      (await Array.fromAsync(await followSession(as, { session_id, after, signal: here }))).map((line) => JSON.stringify(line)).join('\n');
    const log = await read(ben);
    expect([await read(ada), await read(ben), await read(ben, 7)]).toEqual([log, log, log]);
    const { keys } = await publishedKeys(t.ctx);
    const keyOf = (kid: string): Uint8Array | undefined => {
      const key = keys.find((one) => one.kid === kid);
      return key && new Uint8Array(Buffer.from(key.public_key, 'base64'));
    };
    const { header, events, seal } = await verifySession(log, keyOf, verifyAsync);
    expect([header.input_sha256, events, seal.receipt_id]).toEqual([sha256(canonicalJson({ name: 'Ben' })), [], out.headers['x-svc-receipt-id']]);
    await expect(verifySession(log.replace('greet', 'grant'), keyOf, verifyAsync)).rejects.toMatchObject({ code: 'session_invalid' });
    await expect(read(eve)).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(listSessions(eve, { name: agent.name, limit: 1 })).rejects.toMatchObject({ code: 'agent_not_found' });
    const ofAda = all[0] ?? '';
    await expect(followSession(ben, { session_id: ofAda, after: 0, signal: here })).rejects.toMatchObject({ code: 'session_not_found' });
  });

  test('a call that is tried again is one run with one receipt, of how it ended', async () => {
    const before = (await receipts()).length;
    const out = await call('flaky', {});
    expect(out).toMatchObject({ status: 200, body: 2 });
    const [receipt, ...older] = await receipts();
    expect(older).toHaveLength(before);
    expect(receipt?.payload).toMatchObject({ receipt_id: out.headers['x-svc-receipt-id'], skill: 'flaky', status: 'ok', output_sha256: sha256('2') });
  });

  test("what the caller can mend passes with the agent's words; what broke inside does not", async () => {
    expect(await call('greet', { name: 5 })).toMatchObject({ status: 400, body: { detail: { code: 'skill_input_error' } } });
    expect(await call('nothing', {})).toMatchObject({ status: 404, body: { detail: { code: 'skill_not_found' } } });
    const broken = await refusal(call('fail', {}));
    expect(broken).toMatchObject({ name: 'AgentFailed', entry: 'agent_error', code: 'skill_invocation_error', details: { agent_status: 500 } });
    expect(JSON.stringify(broken)).not.toContain('inside of the agent');
    expect((await receipts()).slice(0, 3).map((r) => [r.skill, r.status])).toEqual([
      ['fail', 'error'],
      ['nothing', 'error'],
      ['greet', 'error'],
    ]);
  });

  test('a stream passes event by event and ends with the receipt', async () => {
    const out = await call('count', { to: 3 });
    expect(out.body).toBeInstanceOf(Readable);
    const events = await text(out.body as Readable);
    const kinds = [...events.matchAll(/^event: (.+)$/gm)].map(([, kind]) => kind);
    expect(kinds.filter((kind) => kind === 'text_delta')).toHaveLength(3);
    expect(kinds.slice(-2)).toEqual(['result', 'receipt']);
    const ids = [...events.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(ids.map((_, n) => (ids[0] ?? 0) + n));
    const [receipt] = await receipts();
    expect(receipt?.payload).toMatchObject({ skill: 'count', status: 'ok', output_sha256: sha256(canonicalJson({ sum: 3 })) });
  });

  test('a caller that leaves cancels the skill, and the receipt says so', async () => {
    const seen = new Promise<void>((resolve) => (cancelled = resolve));
    const caller = new AbortController();
    const out = await call('wait', {}, caller.signal);
    const stream = out.body as Readable;
    await new Promise((resolve) => stream.once('data', resolve));
    caller.abort();
    stream.destroy();
    await seen;
    await vi.waitFor(async () => expect((await receipts())[0]).toMatchObject({ skill: 'wait', status: 'cancelled' }));
  });

  test('a caller that leaves before it has read anything leaves its receipt too', async () => {
    const before = (await receipts()).length;
    const caller = new AbortController();
    const stream = (await call('wait', {}, caller.signal)).body as Readable;
    caller.abort();
    stream.on('error', () => undefined).destroy();
    await vi.waitFor(async () => expect(await receipts()).toHaveLength(before + 1));
    expect((await receipts())[0]).toMatchObject({ skill: 'wait', status: 'cancelled' });
  });

  test('a call is noted while it is under way, without keys, and not longer', async () => {
    const caller = new AbortController();
    const stream = (await call('wait', {}, caller.signal)).body as Readable;
    const [row, ...others] = await t.ctx.db('open_calls');
    expect(others).toEqual([]);
    expect(row?.call).toMatchObject({ skill: 'wait', caller: { id: ada.actor.user_id }, route: { agentName: agent.name } });
    expect(JSON.stringify(row)).not.toContain('the-key');
    caller.abort();
    stream.on('error', () => undefined).destroy();
    await vi.waitFor(async () => expect(await t.ctx.db('open_calls')).toEqual([]));
    await call('greet', { name: 'Ada' });
    expect(await t.ctx.db('open_calls')).toEqual([]);
  });

  test('a call whose end could not be written is ended by the sweep, though its process lives', async () => {
    const before = (await receipts()).length;
    await t.ctx.db.raw(`alter table receipts add constraint none check (skill <> 'greet') not valid`);
    await expect(call('greet', { name: 'Ada' })).rejects.toThrow();
    await t.ctx.db.raw('alter table receipts drop constraint none');
    const stopHeartbeat = await startHeartbeat(t.ctx.db);
    await t.ctx.db('open_calls').update({ began_at: new Date(Date.now() - 60_000).toISOString() });
    expect(await sweepLostCalls(t.ctx)).toHaveLength(1);
    stopHeartbeat();
    expect(await receipts()).toHaveLength(before + 1);
    expect((await receipts())[0]).toMatchObject({ skill: 'greet', status: 'error' });
    await t.ctx.db('open_calls').delete();
  });

  test('a call whose process is gone ends as lost, once, also when the process was only cut off and ends it later', async () => {
    const before = (await receipts()).length;
    const caller = new AbortController();
    const stream = (await call('wait', {}, caller.signal)).body as Readable;
    stream.on('error', () => undefined);
    await t.ctx.db('open_calls').update({ began_at: new Date(Date.now() - 60_000).toISOString() });
    const stopHeartbeat = await startHeartbeat(t.ctx.db);
    expect(await sweepLostCalls(t.ctx)).toEqual([]);
    stopHeartbeat();
    await t.ctx.db('api_processes').update({ seen_at: new Date(Date.now() - 60_000).toISOString() });
    expect(await sweepLostCalls(t.ctx)).toHaveLength(1);
    expect(await sweepLostCalls(t.ctx)).toEqual([]);
    expect((await receipts())[0]).toMatchObject({ skill: 'wait', status: 'error', payload: { error_code: 'call_lost', caller: { id: ada.actor.user_id } } });
    caller.abort();
    stream.destroy();
    await vi.waitFor(async () => expect(await t.ctx.db('open_calls')).toEqual([]));
    expect(await receipts()).toHaveLength(before + 1);
  });

  test("somebody else's unlisted agent does not exist; an agent without a deployment is not live", async () => {
    expect(await refusal(invokeSkill(ben, { name: agent.name, skill_name: 'greet', args: { name: 'x' }, accept: undefined, signal: here }))).toMatchObject({
      name: 'NotFound',
    });
    const registered = await addAgent(t.ctx.db, ada.actor.user_id);
    expect(await refusal(invokeSkill(ada, { name: registered.name, skill_name: 'greet', args: {}, accept: undefined, signal: here }))).toMatchObject({
      code: 'agent_not_live',
    });
  });
});

describe("tools of the agent's MCP face", () => {
  const mcp = async (message: unknown): Promise<string> => {
    const route = (await resolveRoute(t.ctx, agent.name)) as AgentRoute;
    const headers = {
      authorization: 'Bearer the-key',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    };
    const { body } = await callTools(
      t.ctx,
      { route, actor: ada.actor, grant: undefined },
      { body: Buffer.from(JSON.stringify(message)), headers: Object.entries(headers).flat(), signal: here },
    );
    return (body instanceof Readable ? await buffer(body) : body).toString();
  };

  test('calls that could not be distinguished and sealed are refused before any of them runs', async () => {
    const before = (await receipts()).length;
    const one = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'greet', arguments: { name: 'x' } } });
    await expect(mcp([one(1), one(1)])).rejects.toMatchObject({ code: 'duplicate_id' });
    await expect(mcp(Array.from({ length: 33 }, (_, id) => one(id)))).rejects.toMatchObject({ code: 'too_many_calls' });
    expect(await receipts()).toHaveLength(before);
  });

  test('a call of a tool leaves the receipt of a call of the skill; other requests leave none', async () => {
    const before = (await receipts()).length;
    expect(await mcp({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })).toContain('greet');
    expect(await receipts()).toHaveLength(before);
    expect(await mcp({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'greet', arguments: { name: 'Tool' } } })).toContain('Hello, Tool!');
    const [receipt] = await receipts();
    expect(receipt?.payload).toMatchObject({
      skill: 'greet',
      status: 'ok',
      input_sha256: sha256(canonicalJson({ name: 'Tool' })),
      output_sha256: sha256(canonicalJson({ text: 'Hello, Tool!' })),
    });
  });

  test('a tool that fails is sealed as an error', async () => {
    await mcp({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'fail', arguments: {} } });
    expect((await receipts())[0]).toMatchObject({ skill: 'fail', status: 'error' });
  });

  test('junk passes to the agent and leaves nothing', async () => {
    const before = (await receipts()).length;
    await mcp([1, null, { method: 'tools/call' }]);
    expect(await receipts()).toHaveLength(before);
  });
});

test('an agent that cannot be reached: 502 with nothing claimed about it, and a receipt', async () => {
  await server.shutdown();
  const error = await refusal(call('greet', { name: 'x' }));
  expect(error).toMatchObject({ name: 'BadGateway', code: 'agent_unreachable' });
  expect(error.details).not.toHaveProperty('agent_status');
  expect((await receipts())[0]).toMatchObject({ status: 'error' });
});
