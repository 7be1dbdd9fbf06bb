// Tasks and waiting tools through the platform to a real agent server on an instance's socket: one receipt
// each, when the run has ended.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { socketOf } from '#test/support/agent-socket.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';
import { Agent, skill, TaskMessage, z } from '#sdk/typescript/index.ts';
import { startAgent, type StartedAgent } from '#sdk/typescript/runtime.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { turns } from '#test/support/turns.ts';
import { addAgent } from '#test/support/verbs.ts';
import { newId } from '../../kernel/ids.ts';
import { apiKeyContext, resolveRoute, type AgentRoute } from '../../agents/route/resolve.ts';
import { callTask, callTools } from '#test/support/calls.ts';
import { sha256 } from '../run/hash.ts';
import { sweepLostCalls } from './lost-calls.ts';
import { startHeartbeat } from './open-calls.ts';

/** Runs of `waits` that have begun. */
let waiting = 0;

class Sample extends Agent {
  override name = 'tasker';
  override description = 'For tests';
  override version = '1.0.0';
  override concurrency = 8;
  override capabilities = { logging: true };
  logs = skill({}, async (ctx) => {
    ctx.log.info('at work');
    return 'logged';
  });
  add = skill({ input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) }, async (_ctx, { a, b }) => ({ sum: a + b }));
  fails = skill({}, async () => {
    throw new Error('inside');
  });
  asks = skill({}, async (ctx) => `so: ${await ctx.ask('Which?', 10)}`);
  talks = skill({ input: TaskMessage }, async () => ({ parts: [{ text: 'Good day.' }] }));
  waits = skill({}, async (ctx) => {
    waiting += 1;
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
  });
}

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let agent: { id: string; name: string };
let server: StartedAgent;
let route: AgentRoute;

beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  ben = await t.user('ben');
  agent = await addAgent(t.ctx.db, ada.actor.user_id, { live: true });
  const instance = newId('ins');
  const { live_deploy_id } = (await t.ctx.db('agents').where({ agent_id: agent.id }).first('live_deploy_id')) ?? {};
  const card = JSON.stringify({ runtime: { resources: { max_runtime_seconds: 30 } } });
  await t.ctx
    .db('deployments')
    .where({ deploy_id: live_deploy_id ?? '' })
    .update({ version: '1.0.0', image: 'sha256:1', card });
  const api_key_sealed = await t.ctx.drivers.vault.seal(Buffer.from('the-key'), apiKeyContext(instance));
  const row = {
    instance_id: instance,
    deploy_id: live_deploy_id ?? '',
    agent_id: agent.id,
    node: 'local',
    state: 'serving' as const,
    api_key_sealed,
    runtime: 'sha256:r',
  };
  await t.ctx.db('instances').insert(row);
  const path = socketOf(t.ctx.drivers.runtime.address(instance));
  await mkdir(dirname(path), { recursive: true });
  server = await startAgent(Sample, { apiKey: 'the-key', listen: { path }, onLog: () => undefined });
  route = (await resolveRoute(t.ctx, agent.name)) as AgentRoute;
});
afterAll(async () => {
  await server.shutdown();
  await t.close();
});

const receipts = async (): Promise<{ skill: string; status: string; payload: unknown }[]> =>
  t.ctx.db('receipts').where({ agent_id: agent.id }).orderBy('seq', 'desc');
/** Waits until there are so many. */
async function newest(count: number): Promise<{ skill: string; status: string; payload: unknown }> {
  await vi.waitFor(async () => expect(await receipts()).toHaveLength(count), { interval: 20 });
  const [first] = await receipts();
  if (!first) throw new Error('no receipt');
  return first;
}

async function send(path: string, body: unknown, { as = ada, headers = {}, signal = new AbortController().signal } = {}) {
  const own = { authorization: 'Bearer the-key', 'content-type': 'application/json', 'a2a-version': '1.0', ...headers };
  const { body: answer, ...rest } = await callTask(
    t.ctx,
    { route, actor: as.actor, grant: undefined },
    { path, body: Buffer.from(JSON.stringify(body)), headers: Object.entries(own).flat(), signal },
  );
  const text = (answer instanceof Readable ? await buffer(answer) : answer).toString();
  return { ...rest, text, value: Loose.parse(text.startsWith('{') ? JSON.parse(text) : {}) };
}
const Loose = z.looseObject({ task: z.object({ id: z.string() }).optional() });
const Rpc = z.object({
  result: z
    .looseObject({
      resultType: z.string().optional(),
      requestState: z.string().optional(),
      inputRequests: z.record(z.string(), z.unknown()).default({}),
      taskId: z.string().optional(),
    })
    .default({ inputRequests: {} }),
  error: z.object({ code: z.number() }).optional(),
});
const taskIn = ({ value }: { value: z.infer<typeof Loose> }): string => value.task?.id ?? '';

const message = (parts: unknown[], more: object = {}) => ({ messageId: crypto.randomUUID(), role: 'ROLE_USER', parts, ...more });
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const adding = message([{ data: { skill: 'add', args: { a: 1, b: 2 } } }]);

const talking = message([{ text: '@talks' }]);
const legacyTalking = { kind: 'message', messageId: 'm4', role: 'user', parts: [{ kind: 'text', text: '@talks' }] };

describe('a task at an agent', () => {
  test.each([
    ['JSON-RPC', '/a2a', rpc('SendMessage', { message: adding })],
    ['a JSON-RPC stream', '/a2a', rpc('SendStreamingMessage', { message: adding })],
    ['HTTP+JSON', '/message:send', { message: adding }],
    ['an HTTP+JSON stream', '/message:stream', { message: adding }],
  ])('over %s leaves the receipt of a call of the skill', async (_binding, path, body) => {
    const before = (await receipts()).length;
    const sent = await send(path, body);
    expect(sent.text).toContain('TASK_STATE_COMPLETED');
    const receipt = await newest(before + 1);
    expect(receipt.payload).toMatchObject({
      skill: 'add',
      status: 'ok',
      caller: { kind: 'user', id: ada.actor.user_id },
      input_sha256: sha256(canonicalJson({ a: 1, b: 2 })),
      output_sha256: sha256(canonicalJson({ sum: 3 })),
    });
    if (sent.value['jsonrpc'] ?? sent.value.task) expect(receipt.payload).toMatchObject({ receipt_id: sent.receiptId });
  });

  test('over 0.3 too', async () => {
    const before = (await receipts()).length;
    const params = { message: { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'data', data: { skill: 'add', args: { a: 2, b: 2 } } }] } };
    await send('/a2a', rpc('message/send', params), { headers: { 'a2a-version': '0.3' } });
    const content = [{ data: { data: { skill: 'add', args: { a: 2, b: 2 } } } }];
    await newest(before + 1);
    await send('/v1/message:send', { request: { messageId: 'm2', role: 'ROLE_USER', content } }, { headers: { 'a2a-version': '0.3' } });
    const second = await newest(before + 2);
    for (const { payload } of (await receipts()).slice(0, 2))
      expect(payload).toMatchObject({ skill: 'add', status: 'ok', input_sha256: sha256(canonicalJson({ a: 2, b: 2 })) });
    expect(second.status).toBe('ok');
  });

  test.each([
    ['JSON-RPC', '/a2a', rpc('SendMessage', { message: talking }), {}],
    ['JSON-RPC of 0.3', '/a2a', rpc('message/send', { message: legacyTalking }), { 'a2a-version': '0.3' }],
    ['HTTP+JSON', '/message:send', { message: talking }, {}],
    ['HTTP+JSON of 0.3', '/v1/message:send', { request: { messageId: 'm3', content: [{ text: '@talks' }] } }, { 'a2a-version': '0.3' }],
  ])('that is answered by a message carries its receipt over %s', async (_binding, path, body, headers) => {
    const before = (await receipts()).length;
    const sent = await send(path, body, { headers });
    expect(sent.text).toContain('Good day.');
    expect(sent.text).not.toMatch(/"(?:state|status)"/);
    const { payload } = await newest(before + 1);
    expect(sent.receiptId).toMatch(/^rcp_/);
    expect(payload).toMatchObject({ skill: 'talks', status: 'ok', receipt_id: sent.receiptId });
  });

  test('that fails, and one that is refused, leave theirs; looking at tasks leaves none', async () => {
    const before = (await receipts()).length;
    await send('/message:send', { message: message([{ text: '@fails' }]) });
    expect(await newest(before + 1)).toMatchObject({ skill: 'fails', status: 'error' });
    const refused = await send('/message:send', { message: message([{ text: '@nothing' }]) });
    expect(refused.status).toBe(400);
    expect(await newest(before + 2)).toMatchObject({ skill: 'nothing', status: 'error' });
    await send('/a2a', rpc('ListTasks', {}));
    await send('/a2a', rpc('GetTask', { id: 'x' }));
    expect(await receipts()).toHaveLength(before + 2);
  });

  test('that asks is one call until it is over, and only its caller goes on with it', async () => {
    const before = (await receipts()).length;
    const first = await send('/message:send', { message: message([{ text: '@asks' }]) });
    expect(first.text).toContain('TASK_STATE_INPUT_REQUIRED');
    expect(first.receiptId).toBeUndefined();
    const taskId = taskIn(first);
    const theirs = await send('/message:send', { message: message([{ text: 'mine' }], { taskId }) }, { as: ben });
    expect(theirs.status).toBe(404);
    expect(await receipts()).toHaveLength(before);
    expect((await send('/message:send', { message: message([{ text: 'this' }], { taskId }) })).text).toContain('so: this');
    expect((await newest(before + 1)).payload).toMatchObject({ skill: 'asks', status: 'ok', output_sha256: sha256(canonicalJson('so: this')) });
  });

  test('whose caller does not wait leaves its receipt when it ends', async () => {
    const before = (await receipts()).length;
    const begun = await send('/message:send', { message: message([{ text: '@waits' }]), configuration: { returnImmediately: true } });
    const id = taskIn(begun);
    expect(await receipts()).toHaveLength(before);
    expect((await send('/a2a', rpc('CancelTask', { id }))).text).toContain('TASK_STATE_CANCELED');
    expect(await newest(before + 1)).toMatchObject({ skill: 'waits', status: 'cancelled' });
  });
});

describe('a run of AG-UI', () => {
  const run = (input: object, as = ada) => send('/ag-ui', { threadId: 'thread', runId: crypto.randomUUID(), messages: [], ...input }, { as });
  const interruptIn = ({ text }: { text: string }): string => /"id":"(qst_[^"]+)"/.exec(text)?.[1] ?? '';

  test('leaves the receipt of a call of the skill', async () => {
    const before = (await receipts()).length;
    const sent = await run({ forwardedProps: { skill: 'add', args: { a: 1, b: 2 } } });
    expect(sent.text).toContain('"type":"RUN_FINISHED"');
    expect((await newest(before + 1)).payload).toMatchObject({
      skill: 'add',
      status: 'ok',
      caller: { kind: 'user', id: ada.actor.user_id },
      input_sha256: sha256(canonicalJson({ a: 1, b: 2 })),
      output_sha256: sha256(canonicalJson({ sum: 3 })),
    });
    await run({ messages: [{ id: 'm1', role: 'user', content: '@fails' }] });
    expect(await newest(before + 2)).toMatchObject({ skill: 'fails', status: 'error' });
  });

  test('that is refused leaves one with the reason', async () => {
    const before = (await receipts()).length;
    const sent = await run({ forwardedProps: { skill: 'nothing', args: {} } });
    expect(sent.status).toBe(404);
    const { payload } = await newest(before + 1);
    expect(payload).toMatchObject({ skill: 'nothing', status: 'error', error_code: 'skill_not_found', receipt_id: sent.receiptId });
  });

  test('that asks is one call until it is over, and only its caller answers it', async () => {
    const before = (await receipts()).length;
    const asked = await run({ messages: [{ id: 'm1', role: 'user', content: '@asks' }] });
    const resume = [{ interruptId: interruptIn(asked), status: 'resolved', payload: 'this' }];
    expect((await run({ resume }, ben)).text).toContain('interrupt_unknown');
    expect((await run({ messages: [{ id: 'm2', role: 'user', content: '@add {"a": 1, "b": 1}' }] })).text).toContain('interrupts_pending');
    expect(await newest(before + 1)).toMatchObject({ skill: 'add', status: 'error' });
    expect((await run({ resume })).text).toContain('so: this');
    expect((await newest(before + 2)).payload).toMatchObject({ skill: 'asks', status: 'ok', output_sha256: sha256(canonicalJson('so: this')) });
  });

  test('whose caller leaves is cancelled, and its receipt says that', async () => {
    const before = (await receipts()).length;
    const gone = new AbortController();
    const others = waiting;
    const input = { threadId: 'other', runId: 'r', messages: [{ id: 'm1', role: 'user', content: '@waits' }] };
    const sent = send('/ag-ui', input, { signal: gone.signal }).catch(() => undefined);
    await vi.waitFor(() => expect(waiting).toBe(others + 1), { interval: 20 });
    gone.abort();
    await sent;
    expect(await newest(before + 1)).toMatchObject({ skill: 'waits', status: 'cancelled' });
  });
});

test('a task that goes on when its process is gone is listened to by another, and has one receipt', async () => {
  const before = (await receipts()).length;
  const taskId = taskIn(await send('/message:send', { message: message([{ text: '@asks' }]) }));
  const long = new Date(Date.now() - 60_000).toISOString();
  await t.ctx.db('open_calls').update({ began_at: long });
  expect(await sweepLostCalls(t.ctx)).toHaveLength(1);
  expect(await receipts()).toHaveLength(before);
  const [row] = await t.ctx.db('open_calls').whereNull('receipt_id');
  expect(row).toMatchObject({ goes_on: true });
  await send('/message:send', { message: message([{ text: 'this' }], { taskId }) });
  expect((await newest(before + 1)).payload).toMatchObject({ skill: 'asks', status: 'ok', output_sha256: sha256(canonicalJson('so: this')) });
  // Both who listened have heard of its end, and nothing is written any more.
  await vi.waitFor(() => expect(server.activity().open).toBe(0));
  await turns();
  const others = `select 1 from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;
  await vi.waitFor(async () => expect((await t.ctx.db.raw(others)).rows).toEqual([]));
  expect(await receipts()).toHaveLength(before + 1);
});

test('a run that is silent for as long as its person thinks is asked for its events once: asking again would wake its machine', async () => {
  const before = (await receipts()).length;
  const { agentHttp } = t.ctx.drivers;
  const asked: string[] = [];
  // Minutes pass as tenths of a second.
  const shorter = (ms: number): number => Math.ceil(ms / 600);
  const hurried: typeof agentHttp.send = (at, request) => {
    asked.push(request.path);
    const { timeoutMs, silenceMs = timeoutMs } = request;
    return agentHttp.send(at, { ...request, ...(request.path.endsWith('/events') && { timeoutMs: shorter(timeoutMs), silenceMs: shorter(silenceMs) }) });
  };
  const fast = { ...t.ctx, drivers: { ...t.ctx.drivers, agentHttp: { send: hurried } } };
  const headers = { authorization: 'Bearer the-key', 'content-type': 'application/json', 'a2a-version': '1.0' };
  const request = { path: '/message:send', body: Buffer.from(JSON.stringify({ message: message([{ text: '@asks' }]) })) };
  const caller = { route, actor: ada.actor, grant: undefined };
  const { body } = await callTask(fast, caller, { ...request, headers: Object.entries(headers).flat(), signal: new AbortController().signal });
  const taskId = taskIn({ value: Loose.parse(JSON.parse(String(body))) });
  const events = (): string => asked.filter((path) => path.endsWith('/events'))[0] ?? '';
  await vi.waitFor(() => expect(events()).not.toBe(''));
  // A reader gives up after a minute of silence, twice.
  for (let minutes = 0; minutes < 2; minutes += 1) {
    const own = { authorization: 'Bearer the-key' };
    const signal = new AbortController().signal;
    const impatient = await agentHttp.send(route, { method: 'GET', path: events(), body: '', headers: own, signal, timeoutMs: shorter(60_000) });
    await expect(buffer(impatient.body)).rejects.toThrow(/timeout/i);
  }
  expect(asked.filter((path) => path.endsWith('/events'))).toHaveLength(1);
  expect((await send('/message:send', { message: message([{ text: 'this' }], { taskId }) })).text).toContain('so: this');
  expect((await newest(before + 1)).payload).toMatchObject({ skill: 'asks', status: 'ok' });
});

test('a host that starts again now and then while a person thinks does not make the run a lost one', async () => {
  const before = (await receipts()).length;
  const { agentHttp } = t.ctx.drivers;
  const now = performance.now.bind(performance);
  let ahead = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  onTestFinished(() => void vi.restoreAllMocks());
  let breaks = 0;
  const breaking: typeof agentHttp.send = async (at, request) => {
    const answer = await agentHttp.send(at, request);
    if (!request.path.endsWith('/events') || breaks >= 6) return answer;
    breaks += 1;
    ahead += 3_600_000;
    answer.body.destroy(new Error('the host is gone'));
    return answer;
  };
  const shaken = { ...t.ctx, drivers: { ...t.ctx.drivers, agentHttp: { send: breaking } } };
  const headers = { authorization: 'Bearer the-key', 'content-type': 'application/json', 'a2a-version': '1.0' };
  const request = { path: '/message:send', body: Buffer.from(JSON.stringify({ message: message([{ text: '@asks' }]) })) };
  const caller = { route, actor: ada.actor, grant: undefined };
  const { body } = await callTask(shaken, caller, { ...request, headers: Object.entries(headers).flat(), signal: new AbortController().signal });
  const taskId = taskIn({ value: Loose.parse(JSON.parse(String(body))) });
  await vi.waitFor(() => expect(breaks).toBe(6), { timeout: 20_000 });
  expect(await receipts()).toHaveLength(before);
  await send('/message:send', { message: message([{ text: 'this' }], { taskId }) });
  expect((await newest(before + 1)).payload).toMatchObject({ skill: 'asks', status: 'ok', output_sha256: sha256(canonicalJson('so: this')) });
});

test('a task whose process is gone, and its machine too, ends as lost', async () => {
  const before = (await receipts()).length;
  await send('/message:send', { message: message([{ text: '@waits' }]), configuration: { returnImmediately: true } });
  await goesOnAndIsOld();
  await t.ctx.db('instances').update({ state: 'stopped' });
  await sweepLostCalls(t.ctx);
  expect((await newest(before + 1)).payload).toMatchObject({ skill: 'waits', status: 'error', error_code: 'call_lost' });
  await t.ctx.db('instances').update({ state: 'serving' });
});

test('a task that one process takes over and cannot follow is taken over again', async () => {
  const before = (await receipts()).length;
  await send('/message:send', { message: message([{ text: '@waits' }]), configuration: { returnImmediately: true } });
  await goesOnAndIsOld();
  const open = vi.fn(() => Promise.reject(new Error('its key cannot be opened')));
  await sweepLostCalls({ ...t.ctx, drivers: { ...t.ctx.drivers, vault: { ...t.ctx.drivers.vault, open } } });
  await vi.waitFor(() => expect(open).toHaveBeenCalled());
  const stop = await startHeartbeat(t.ctx.db);
  onTestFinished(async () => {
    stop();
    await t.ctx.db('api_processes').delete();
    await t.ctx.db('instances').update({ state: 'serving' });
  });
  await t.ctx.db('instances').update({ state: 'stopped' });
  await sweepLostCalls(t.ctx);
  expect((await newest(before + 1)).payload).toMatchObject({ skill: 'waits', status: 'error', error_code: 'call_lost' });
});

/** The open call is one that outlives its connection, and its process has been silent for a minute. */
async function goesOnAndIsOld(): Promise<void> {
  await vi.waitFor(async () => expect(await t.ctx.db('open_calls').whereNull('receipt_id').where({ goes_on: true })).not.toEqual([]));
  await t.ctx.db('open_calls').update({ began_at: new Date(Date.now() - 60_000).toISOString() });
}

/** A request of an MCP client of 2026 about the tool `asks`. */
async function mcp(params: object, { method = 'tools/call', capabilities = {}, as = ada } = {}): Promise<z.infer<typeof Rpc>> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, ...capabilities },
  };
  const tool = method === 'tools/call' ? { name: 'asks', arguments: {} } : {};
  const headers = {
    authorization: 'Bearer the-key',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    'mcp-name': 'taskId' in params ? String(params.taskId) : 'asks',
  };
  const body = Buffer.from(JSON.stringify(rpc(method, { ...tool, _meta, ...params })));
  const signal = new AbortController().signal;
  const answer = await callTools(t.ctx, { route, actor: as.actor, grant: undefined }, { body, headers: Object.entries(headers).flat(), signal });
  return Rpc.parse(JSON.parse((answer.body instanceof Readable ? await buffer(answer.body) : answer.body).toString()));
}

test('a tool that asks over MCP is one call, sealed when its run ends', async () => {
  const before = (await receipts()).length;
  const { result } = await mcp({});
  expect(result.resultType).toBe('input_required');
  expect(await receipts()).toHaveLength(before);
  const [key = ''] = Object.keys(result.inputRequests);
  const done = await mcp({ requestState: result.requestState, inputResponses: { [key]: { action: 'accept', content: { answer: 'that' } } } });
  expect(JSON.stringify(done)).toContain('so: that');
  expect((await newest(before + 1)).payload).toMatchObject({ skill: 'asks', status: 'ok', output_sha256: sha256(canonicalJson('so: that')) });
});

test('a tool that is answered as a task is its caller’s, outlives the process that passed the call, and is sealed when its run ends', async () => {
  const tasks = { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } };
  const before = (await receipts()).length;
  const { result: created } = await mcp({}, tasks);
  expect(created).toMatchObject({ resultType: 'task', status: 'working' });
  const { taskId } = created;
  const look = async (as = ada) => mcp({ taskId }, { ...tasks, method: 'tasks/get', as });
  const [key = ''] = Object.keys((await look()).result.inputRequests);
  expect((await look(ben)).error?.code).toBe(-32602);
  expect(await receipts()).toHaveLength(before);
  // The follower of the run is gone; housekeeping follows it again.
  await t.ctx.db('open_calls').update({ began_at: new Date(Date.now() - 60_000).toISOString() });
  await sweepLostCalls(t.ctx);
  expect(await receipts()).toHaveLength(before);
  await mcp({ taskId, inputResponses: { [key]: { action: 'accept', content: { answer: 'these' } } } }, { ...tasks, method: 'tasks/update' });
  await vi.waitFor(async () => expect((await look()).result).toMatchObject({ status: 'completed', result: { structuredContent: { result: 'so: these' } } }));
  expect((await newest(before + 1)).payload).toMatchObject({ skill: 'asks', status: 'ok', output_sha256: sha256(canonicalJson('so: these')) });
});

/** A message of an MCP client of 2025; the stream it is answered by. */
async function post2025(body: object, as = ada, { session }: { session?: string } = {}): Promise<Readable | Buffer> {
  const headers = {
    authorization: 'Bearer the-key',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    ...(session !== undefined && { 'mcp-session-id': session }),
  };
  const request = { body: Buffer.from(JSON.stringify(body)), headers: Object.entries(headers).flat(), signal: new AbortController().signal };
  return (await callTools(t.ctx, { route, actor: as.actor, grant: undefined }, request)).body;
}
async function textOf2025(body: object, as = ada): Promise<string> {
  const answer = await post2025(body, as);
  return (answer instanceof Readable ? await buffer(answer) : answer).toString();
}

test('the level of the log is set only for its caller, and leaves no receipt', async () => {
  const before = (await receipts()).length;
  await textOf2025(rpc('logging/setLevel', { level: 'info' }));
  expect(await receipts()).toHaveLength(before);
  const call = rpc('tools/call', { name: 'logs', arguments: {} });
  expect(await textOf2025(call)).toMatch(/"notifications\/message".*at work/);
  expect(await textOf2025(call, ben)).not.toContain('at work');
  await newest(before + 2);
});

test('a tool that asks on the stream of its call is one call: its caller answers by a message that leaves no receipt', async () => {
  const before = (await receipts()).length;
  const inForm = { session: `svc_mcp_form_${'x'.repeat(43)}` };
  const stream = await post2025(rpc('tools/call', { name: 'asks', arguments: {} }), ada, inForm);
  let text = '';
  for await (const chunk of stream as Readable) {
    text += String(chunk);
    const id = /"id":"(elicit_[\w-]+)"/.exec(String(chunk))?.[1];
    if (id === undefined) continue;
    const answer = (value: string) => ({ jsonrpc: '2.0', id, result: { action: 'accept', content: { answer: value } } });
    await post2025(answer('stolen'), ben, inForm);
    expect(await receipts()).toHaveLength(before);
    await post2025(answer('this'), ada, inForm);
  }
  expect(text).toContain('so: this');
  expect((await newest(before + 1)).payload).toMatchObject({ skill: 'asks', status: 'ok', output_sha256: sha256(canonicalJson({ result: 'so: this' })) });
});

describe('no skill runs without its receipt', () => {
  const post = async (body: string): Promise<string> => {
    const headers = {
      authorization: 'Bearer the-key',
      'content-type': 'application/json; charset=utf-8',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    };
    const signal = new AbortController().signal;
    const request = { body: Buffer.from(body), headers: Object.entries(headers).flat(), signal };
    const answer = await callTools(t.ctx, { route, actor: ada.actor, grant: undefined }, request);
    return (answer.body instanceof Readable ? await buffer(answer.body) : answer.body).toString();
  };
  const add = { name: 'add', arguments: { a: 1, b: 2 } };

  test('because of a mark before the text of the request', async () => {
    const before = (await receipts()).length;
    expect(await post(`\ufeff${JSON.stringify(rpc('tools/call', add))}`)).toContain('"sum":3');
    expect(await newest(before + 1)).toMatchObject({ skill: 'add', status: 'ok' });
  });

  test('because it says that it goes on with a call that never was', async () => {
    const before = (await receipts()).length;
    expect(await post(JSON.stringify(rpc('tools/call', { ...add, requestState: 'made up' })))).not.toContain('"sum":3');
    const params = {
      message: { kind: 'message', messageId: 'm1', role: 'user', task_id: 'x', parts: [{ kind: 'data', data: { skill: 'add', args: { a: 1, b: 2 } } }] },
    };
    const sent = await send('/a2a', rpc('message/send', params), { headers: { 'a2a-version': '0.3' } });
    expect(sent.text).not.toContain('completed');
    expect(await receipts()).toHaveLength(before);
  });
});

describe('an agent with prices', () => {
  const prices = new Map([['add', { price_id: 'prc_1', call_micros: 1, second_micros: 0, token_micros: 0, artifact_micros: 0, max_micros: 1, free_calls: 0 }]]);
  const sent = (path: string, body: unknown) => {
    const headers = Object.entries({ authorization: 'Bearer the-key', 'content-type': 'application/json', 'a2a-version': '1.0' }).flat();
    const caller = { route: { ...route, prices }, actor: ada.actor, grant: undefined };
    return callTask(t.ctx, caller, { path, body: Buffer.from(JSON.stringify(body)), headers, signal: new AbortController().signal });
  };

  test.each([
    ['/a2a', rpc('SendMessage', { message: message([{ text: 'good day' }]) })],
    ['/message:send', { message: message([{ data: { a: 1, b: 2 } }]) }],
    [
      '/ag-ui',
      { threadId: 'th', runId: 'r', state: {}, messages: [{ id: 'm', role: 'user', content: 'good day' }], tools: [], context: [], forwardedProps: {} },
    ],
  ])('at %s a message that names no skill is refused: its cost is unknown', async (path, body) => {
    await expect(sent(path, body)).rejects.toMatchObject({ code: 'priced_skill_unnamed' });
  });

  test('what the platform and the agent read differently is executed by neither', async () => {
    const before = (await receipts()).length;
    const { body } = await sent('/message:send', { message: message([{ data: { a: 1, b: 2 } }, { text: '@logs' }]) });
    const text = (body instanceof Readable ? await buffer(body) : body).toString();
    expect(text).toContain('this call is of \\"logs\\", not of \\"message\\"');
    expect(await newest(before + 1)).toMatchObject({ skill: 'logs', status: 'error' });
    const named = await sent('/message:send', { message: message([{ data: { skill: 'add', args: { a: 1, b: 2 } } }]) });
    expect((named.body instanceof Readable ? await buffer(named.body) : named.body).toString()).toContain('TASK_STATE_COMPLETED');
  });
});
