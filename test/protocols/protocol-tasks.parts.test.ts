// What outlives a deploy: tasks of A2A and MCP, questions to clients, and what is pushed to whom; for their
// caller alone.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CryptoKey, importJWK, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { publishedCardKeys } from '#core/agents/card/keys.ts';
import { instancesWithRuns } from '#core/deploys/deployment/instance.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { runOf } from '../support/runs.ts';
import { sweepRuns } from '#core/runs/call/sweep-runs.ts';
import { deliverPushes } from '#core/runs/task/deliver-pushes.ts';
import { sweepTasks } from '#core/runs/task/sweep.ts';
import { sha256 } from '#core/runs/run/hash.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { mcpWorld, type McpWorld, type Person } from './mcp-world.ts';

class Desk extends Agent {
  override name = 'desk';
  override description = 'For tests.';
  override version = '1.0.0';
  override concurrency = 16;
  override capabilities = { push_notifications: true };
  ask = skill({}, async (ctx) => `${await ctx.ask('Which colour?', 600)} it is`);
  add = skill({ input: z.object({ a: z.number(), b: z.number() }) }, async (_ctx, { a, b }) => ({ sum: a + b }));
  work = skill({}, async () => {
    await gate.promise;
    return 'done';
  });
  wait = skill({}, async (ctx) => {
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
  });
}

/** Until it opens, `work` works. */
const gate = Promise.withResolvers<void>();

let it: McpWorld;
let receiver: Server;
let received: { url: string; headers: Record<string, unknown>; body: string }[] = [];
let answers: number[] = [];
let hook = '';

beforeAll(async () => {
  receiver = createServer((request, response) => {
    void text(request).then((body) => {
      const status = answers.shift() ?? 200;
      if (status === 200) received.push({ url: request.url ?? '', headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo; // it listens on TCP
  hook = `http://127.0.0.1:${port}`;
  const lookup = async (host: string): Promise<string[]> => {
    if (host === 'inside.example') return ['10.0.0.7'];
    if (host === 'outside.example') return ['93.184.215.14'];
    throw new Error(`there is no ${host}`);
  };
  it = await mcpWorld((name) => Object.assign(new Desk(), { name }), { pushLocalHosts: [`127.0.0.1:${port}`], lookup });
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await it.close();
});

const Task = z.looseObject({ id: z.string(), contextId: z.string(), status: z.looseObject({ state: z.string() }), artifacts: z.array(z.unknown()).optional() });
type Task = z.infer<typeof Task>;

async function rest(who: Person | null, method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${it.url.replace('/mcp', '')}${path}`, {
    method,
    headers: {
      'a2a-version': '1.0',
      'content-type': 'application/json',
      ...(who && { authorization: `Bearer ${it.world.tokens[who]}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const said = await answer.text();
  return { status: answer.status, body: said === '' ? undefined : JSON.parse(said) };
}

async function rpc(who: Person | null, method: string, params: object): Promise<unknown> {
  return (await rest(who, 'POST', '/a2a', { jsonrpc: '2.0', id: 1, method, params })).body;
}

const message = (more: object): object => ({ message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'red' }], ...more } });

async function send(who: Person | null, skillId: string, args: object = {}, more: object = {}): Promise<Task> {
  const sent = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ data: args }], metadata: { skill: skillId } };
  const { body } = await rest(who, 'POST', '/message:send', { message: sent, ...more });
  return z.object({ task: Task }).parse(body).task;
}

const get = async (who: Person | null, id: string): Promise<Task> => Task.parse((await rest(who, 'GET', `/tasks/${id}`)).body);
const stateOf = async (who: Person | null, id: string): Promise<string> => (await get(who, id)).status.state;

test('A2A: a task that asks is read, answered and listed after a deploy, and with its result once its machine is gone', async () => {
  const [open, done] = [await send('ada', 'ask'), await send('ada', 'add', { a: 1, b: 2 })];
  expect([open.status.state, done.status.state]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_COMPLETED']);
  const end = await it.redeploy();
  expect(await stateOf('ada', open.id)).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(await get('ada', done.id)).toEqual(done);
  expect(await rpc('ada', 'GetTask', { id: done.id })).toMatchObject({ result: { id: done.id, status: { state: 'TASK_STATE_COMPLETED' } } });

  // Another caller's task is none, whatever is asked of it.
  for (const who of ['ben', null] as const) {
    for (const id of [open.id, done.id]) {
      expect((await rest(who, 'GET', `/tasks/${id}`)).status, `${who}`).toBe(404);
      expect((await rest(who, 'POST', `/tasks/${id}:cancel`)).status).toBe(404);
      expect((await rest(who, 'GET', `/tasks/${id}/pushNotificationConfigs`)).status).toBe(404);
      expect(await rpc(who, 'SendMessage', message({ taskId: id }))).toMatchObject({ error: { code: -32001 } });
    }
    expect(z.object({ tasks: z.array(Task) }).parse((await rest(who, 'GET', '/tasks')).body).tasks).toEqual([]);
  }
  const listed = z.object({ tasks: z.array(Task), totalSize: z.number() }).parse((await rest('ada', 'GET', '/tasks')).body);
  expect(listed.tasks.map(({ id, status }) => [id, status.state])).toEqual(expect.arrayContaining([[done.id, 'TASK_STATE_COMPLETED'], [open.id, 'TASK_STATE_INPUT_REQUIRED']])); // prettier-ignore
  expect(listed.totalSize).toBe(2);
  const waiting = await rest('ada', 'GET', '/tasks?status=TASK_STATE_INPUT_REQUIRED');
  expect(
    z
      .object({ tasks: z.array(Task) })
      .parse(waiting.body)
      .tasks.map(({ id }) => id),
  ).toEqual([open.id]);

  expect(await rpc('ada', 'SendMessage', message({ taskId: open.id }))).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
  await end();
  const after = await get('ada', open.id);
  expect([after.status.state, JSON.stringify(after.artifacts)]).toEqual(['TASK_STATE_COMPLETED', expect.stringContaining('red it is')]);
  expect(await rpc('ada', 'SendMessage', message({ taskId: open.id }))).toMatchObject({ error: { message: expect.stringContaining('over') } });
});

test('A2A: a task of nobody in particular keeps its machine, is found by its id, and is cancelled there', async () => {
  const [one, other] = [await send(null, 'ask'), await send(null, 'wait', {}, { configuration: { returnImmediately: true } })];
  await it.redeploy();
  const needed = await instancesWithRuns(it.world.ctx.db, it.agent.id);
  expect([...needed.values()]).toEqual([2]);
  expect(await stateOf(null, other.id)).toBe('TASK_STATE_WORKING');
  expect((await rest('ada', 'GET', `/tasks/${other.id}`)).status).toBe(404);
  expect(await rest(null, 'POST', `/tasks/${other.id}:cancel`)).toMatchObject({ status: 200, body: { status: { state: 'TASK_STATE_CANCELED' } } });
  expect(await rpc(null, 'SendMessage', message({ taskId: one.id }))).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
  await vi.waitFor(async () => expect((await instancesWithRuns(it.world.ctx.db, it.agent.id)).size).toBe(0));
});

test('A2A: a task whose machine is lost never reads as if it went on', async () => {
  received = [];
  const open = await send('ada', 'ask', {}, { configuration: { taskPushNotificationConfig: { url: `${hook}/lost` } } });
  const end = await it.redeploy();
  await end();
  await sweepRuns(it.world.ctx);
  expect(await stateOf('ada', open.id)).toBe('TASK_STATE_FAILED');
  await sweepTasks(it.world.ctx);
  await vi.waitFor(async () => {
    await deliverPushes(it.world.ctx);
    expect(JSON.parse(received.at(-1)?.body ?? '{}')).toMatchObject({ statusUpdate: { taskId: open.id, contextId: open.contextId, status: { state: 'TASK_STATE_FAILED' } } }); // prettier-ignore
  });
  expect(await stateOf('ada', open.id)).toBe('TASK_STATE_FAILED');
  expect(await it.world.ctx.db('protocol_tasks').where({ task_id: open.id }).first('state')).toEqual({ state: 'lost' });
});

const TASKS = { 'io.modelcontextprotocol/tasks': {} };
const McpTask = z.looseObject({ taskId: z.string(), status: z.string(), inputRequests: z.record(z.string(), z.unknown()).optional() });

async function mcp(who: Person | null, method: string, params: object): Promise<{ result?: unknown; error?: unknown }> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions: TASKS },
  };
  const name = 'name' in params ? String(params.name) : 'taskId' in params ? String(params.taskId) : undefined;
  const answer = await fetch(it.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
      ...(who && { authorization: `Bearer ${it.world.tokens[who]}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
  const said = await answer.text();
  const json = /^data: (.*)$/m.exec(said)?.[1] ?? said;
  return z.looseObject({ result: z.unknown(), error: z.unknown() }).partial().parse(JSON.parse(json));
}

test('MCP: a task is polled, answered and read by its caller over a deploy, with its result once its machine is gone', async () => {
  const begun = McpTask.parse((await mcp('ada', 'tools/call', { name: 'ask', arguments: {} })).result);
  const end = await it.redeploy();
  const polled = McpTask.parse((await mcp('ada', 'tasks/get', { taskId: begun.taskId })).result);
  expect(polled.status).toBe('input_required');
  const [questionId = ''] = Object.keys(polled.inputRequests ?? {});
  for (const who of ['ben', null] as const)
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect(await mcp(who, method, { taskId: begun.taskId }), `${who} ${method}`).toMatchObject({ error: { code: -32602 } });
  const inputResponses = { [questionId]: { action: 'accept', content: { answer: 'blue' } } };
  expect(await mcp('ada', 'tasks/update', { taskId: begun.taskId, inputResponses })).not.toHaveProperty('error');
  const ended = async (): Promise<unknown> => (await mcp('ada', 'tasks/get', { taskId: begun.taskId })).result;
  await vi.waitFor(async () => expect(await ended()).toMatchObject({ status: 'completed' }));
  await end();
  expect(await ended()).toMatchObject({ status: 'completed', result: { structuredContent: { result: 'blue it is' } } });
  expect(await mcp('ben', 'tasks/get', { taskId: begun.taskId })).toMatchObject({ error: { code: -32602 } });
});

test('MCP: whom a call asks answers over a deploy: by a form, on the stream of the call, and by the tool that answers', async () => {
  for (const era of ['auto', 'legacy'] as const) {
    const client = await it.connect('ada', { era, capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', async () => {
      await it.redeploy();
      return { action: 'accept' as const, content: { answer: 'green' } };
    });
    const result = await client.callTool({ name: 'ask', arguments: {} });
    expect(result.structuredContent, era).toEqual({ result: 'green it is' });
  }
  const plain = await it.connect('ada', { era: 'legacy' });
  const asked = JSON.stringify(await plain.callTool({ name: 'ask', arguments: {} }));
  const question_id = /"question_id":"([^"]+)"/.exec(asked)?.[1];
  await it.redeploy();
  const [again, stranger] = [await it.connect('ada', { era: 'legacy' }), await it.connect('ben', { era: 'legacy' })];
  expect((await again.listTools()).tools.map(({ name }) => name)).toContain('answer_question');
  expect((await stranger.listTools()).tools.map(({ name }) => name)).not.toContain('answer_question');
  const answer = { name: 'answer_question', arguments: { question_id, answer: 'grey' } };
  expect(await stranger.callTool(answer).catch(() => ({ isError: true }))).toMatchObject({ isError: true });
  expect((await again.callTool(answer)).structuredContent).toEqual({ result: 'grey it is' });
});

test('MCP: a prompt that asks for its arguments takes the answer of its client over a deploy', async () => {
  const client = await it.connect('ada', { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', async () => {
    await it.redeploy();
    return { action: 'accept' as const, content: { a: 1, b: 2 } };
  });
  expect(JSON.stringify(await client.getPrompt({ name: 'add', arguments: {} }))).toContain(String.raw`\"a\": 1`);
});

/** A client of 2025, message by message. */
function earlier(session?: string) {
  const request = (who: Person, { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }): Promise<Response> =>
    fetch(it.url, {
      ...init,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        authorization: `Bearer ${it.world.tokens[who]}`,
        ...(session !== undefined && { 'mcp-session-id': session }),
        ...headers,
      },
    });
  return {
    post: (who: Person, message: object, signal?: AbortSignal) =>
      request(who, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', ...message }), ...(signal && { signal }) }),
    readOn: (who: Person, lastEventId: string) => request(who, { headers: { 'last-event-id': lastEventId } }),
  };
}

/** Reads a stream on until it has said so. */
function reading(response: Response): (said: RegExp) => Promise<RegExpExecArray> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  return async (said) => {
    for (;;) {
      const found = said.exec(seen);
      if (found) return found;
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`the stream ended without ${said}: ${seen}`);
      seen += value ?? '';
    }
  };
}

test.each(['ask', 'work'])('MCP: the broken stream of a call of %s is read on over a deploy, only by its caller', async (name) => {
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'test', version: '1.0.0' } };
  const begun = await earlier().post('ada', { id: 0, method: 'initialize', params });
  const client = earlier(begun.headers.get('mcp-session-id') ?? '');
  const connection = new AbortController();
  const first = reading(await client.post('ada', { id: 1, method: 'tools/call', params: { name, arguments: {} } }, connection.signal));
  const [, event = '', run_id = ''] = await first(/^id: ((run_[\w-]+)_[\da-f-]{36}\.\d+)$/m);
  if (name === 'ask') await first(/elicitation\/create/);
  connection.abort();
  await vi.waitFor(async () => expect(await it.world.ctx.db('protocol_tasks').where({ run_id }).first('state')).toEqual({ state: 'open' }));
  await it.redeploy();
  expect((await client.readOn('ben', event)).status).toBe(400);
  const again = reading(await client.readOn('ada', event));
  if (name === 'work') gate.resolve();
  else {
    const [, id] = await again(/"id":"(elicit_[\w-]+)"/);
    expect((await client.post('ada', { id, result: { action: 'accept', content: { answer: 'red' } } })).status).toBe(202);
  }
  await again(name === 'work' ? /"result":"done"/ : /"result":"red it is"/);
});

test('push: the platform delivers what changes, in order, signed, again after a failure, and with what the client gave for it', async () => {
  const { ctx } = it.world;
  [received, answers] = [[], [500]];
  const config = { url: `${hook}/hook?of=ada`, token: 'tok', authentication: { scheme: 'Bearer', credentials: 'secret' } };
  const task = await send('ada', 'ask', {}, { configuration: { taskPushNotificationConfig: config } });
  expect(JSON.stringify(await ctx.db('task_pushes').where({ task_id: task.id }))).not.toContain('secret');
  await it.redeploy();
  const listed = await rest('ada', 'GET', `/tasks/${task.id}/pushNotificationConfigs`);
  expect(listed.body).toMatchObject({ configs: [{ url: config.url, token: 'tok' }] });
  await rpc('ada', 'SendMessage', message({ taskId: task.id }));
  const seen = (): unknown[] => received.map(({ body }) => z.looseObject({ statusUpdate: z.looseObject({ status: z.looseObject({ state: z.string() }) }).optional() }).parse(JSON.parse(body)).statusUpdate?.status.state ?? 'artifact'); // prettier-ignore
  await vi.waitFor(async () => {
    await deliverPushes(ctx);
    expect(seen().at(-1)).toBe('TASK_STATE_COMPLETED');
  });
  // It may have begun to work before its address was known.
  expect(seen().slice(-4)).toEqual(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_WORKING', 'artifact', 'TASK_STATE_COMPLETED']);
  const { keys } = await publishedCardKeys(ctx.drivers.vault, ctx.clock());
  const keyOf = async ({ kid }: { kid?: string }): Promise<CryptoKey | Uint8Array> => importJWK(keys.find((key) => key.kid === kid) ?? {}, 'ES256');
  for (const { url, headers, body } of received) {
    expect([url, headers['x-a2a-notification-token'], headers['authorization']]).toEqual(['/hook?of=ada', 'tok', 'Bearer secret']);
    const { payload } = await jwtVerify(String(headers['svc-signature']), keyOf, { audience: config.url });
    expect(payload).toMatchObject({ task_id: task.id, request_body_sha256: sha256(Buffer.from(body)), iss: expect.stringContaining(it.agent.name) });
  }
  expect(await ctx.db('push_messages').where({ task_id: task.id })).toEqual([]);
});

test.each([
  'http://localhost:9/x',
  'https://localhost/x',
  'https://app.localhost/x',
  'https://LOCALHOST./x',
  'https://127.0.0.1/x',
  'https://[::1]/x',
  'https://169.254.169.254/latest',
  'https://inside.example/x',
  'https://nowhere.example/x',
  'https://user:password@outside.example/x',
  'http://outside.example/x',
  'ftp://outside.example/x',
])('push to %s is refused', async (url) => {
  const task = await send('ada', 'ask');
  const answer = await rest('ada', 'POST', `/tasks/${task.id}/pushNotificationConfigs`, { url });
  expect([answer.status, await it.world.ctx.db('task_pushes').where({ task_id: task.id })]).toEqual([400, []]);
  await rest('ada', 'POST', `/tasks/${task.id}:cancel`);
});

test('an agent pushes to no address that no caller named, whoever holds its credentials', async () => {
  const { ctx } = it.world;
  const task = await send('ada', 'ask');
  const row = await ctx.db('protocol_tasks').where({ task_id: task.id }).first();
  const run = runOf(ctx, { ...it.agent, deployId: row?.deploy_id ?? '' }, it.users.ada, { run_id: row?.run_id ?? '' });
  const token = (more: object = {}) => mintRunCredential(ctx.drivers.vault, { ...run.actor, ...more }, Date.now() + 60_000);
  const set = async (named_by: string, url = 'https://outside.example/x'): Promise<number> => {
    const answer = await fetch(`${it.world.url}/run/v1/tasks/${task.id}/pushes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ config_id: 'a', url, version: '1.0', named_by }),
    });
    return answer.status;
  };
  const names = [sha256('https://outside.example/x')];
  expect([await set(await token()), await set(''), await set(await token({ names }), 'https://outside.example/y')]).toEqual([403, 403, 403]);
  expect(await set(await token({ names, agent_id: 'agt_other' }))).toBe(403);
  expect(await set(await token({ names, looks: true }))).toBe(204);
  await rest('ada', 'POST', `/tasks/${task.id}:cancel`);
});

test('a task that is over takes an address and gives it back, here and after a deploy, and only to its caller', async () => {
  const task = await send('ada', 'add', { a: 1, b: 2 });
  const path = `/tasks/${task.id}/pushNotificationConfigs`;
  const config = { id: 'late', url: 'https://outside.example/x' };
  expect((await rest('ada', 'POST', path, config)).status).toBe(201);
  expect((await rest('ben', 'DELETE', `${path}/late`)).status).toBe(404);
  await it.redeploy();
  expect((await rest('ada', 'GET', path)).body).toMatchObject({ configs: [config] });
  expect((await rest('ada', 'DELETE', `${path}/late`)).status).toBe(204);
  expect((await rest('ada', 'POST', path, { ...config, url: 'https://localhost/x' })).status).toBe(400);
  expect(await it.world.ctx.db('task_pushes').where({ task_id: task.id })).toEqual([]);
});

test('push to the public internet is taken, read back and taken away', async () => {
  const task = await send('ada', 'ask');
  const set = await rest('ada', 'POST', `/tasks/${task.id}/pushNotificationConfigs`, { id: 'mine', url: 'https://outside.example/x?y=1' });
  expect([set.status, (await it.world.ctx.db('task_pushes').where({ task_id: task.id })).length]).toEqual([201, 1]);
  expect((await rest('ada', 'DELETE', `/tasks/${task.id}/pushNotificationConfigs/mine`)).status).toBe(204);
  expect(await it.world.ctx.db('task_pushes').where({ task_id: task.id })).toEqual([]);
  await rest('ada', 'POST', `/tasks/${task.id}:cancel`);
});
