// What the other side asks becomes a question of the run here: answered by the same caller over its own
// protocol, or by a person at the platform.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { pino } from 'pino';
import { z } from 'zod';
import { importAgent } from '#core/imports/import/import.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import type { Ctx, UserActor } from '#core/kernel/ctx.ts';
import { callAtHost, invokeSkill } from '#test/support/calls.ts';
import { importsSocket } from '#drivers/runtime/sockets.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { cites } from '#test/spec/verifies.ts';
import { addUser, userActor } from '#test/support/verbs.ts';
import { startImportServer, type ImportServer } from './server.ts';
import { a2aRemote, hostOf, mcpRemote, type Remote } from './test/remotes.ts';

let world: World;
let server: ImportServer;
let remotes: Remote[];
let ada: Ctx & { actor: UserActor };

beforeAll(async () => {
  remotes = await Promise.all([a2aRemote(), mcpRemote()]);
  world = await createWorld({ importLocalHosts: remotes.map(hostOf) });
  const socket = importsSocket(world.stateDir);
  await mkdir(dirname(socket), { recursive: true });
  server = await startImportServer({ ...world.ctx, config: { ...world.ctx.config, baseUrl: world.url } }, pino({ level: 'silent' }), socket);
  const [row] = await world.ctx.db('platform_tokens').where({ kind: 'user' }).orderBy('created_at').select('user_id');
  ada = { ...world.ctx, actor: userActor(row?.user_id ?? (await addUser(world.ctx.db))) };
  const [echo, adder] = remotes;
  await importAgent(ada, { url: echo?.url ?? '', visibility: 'public', auth: null });
  await importAgent(ada, { url: `${adder?.url}/mcp`, visibility: 'public', auth: null });
});
afterAll(async () => {
  await server.close();
  await world.close();
  await Promise.all(remotes.map((one) => one.close()));
});

const Task = z.looseObject({
  task: z.looseObject({
    id: z.string(),
    contextId: z.string(),
    status: z.looseObject({ state: z.string(), message: z.unknown().optional() }),
    artifacts: z.unknown().optional(),
  }),
});

/** At the agent's own host. */
async function atHost(
  agent: string,
  face: { kind: 'tools' } | { kind: 'task'; path: string },
  body: unknown,
  headers: Record<string, string>,
): Promise<unknown> {
  const route = await resolveRoute(world.ctx, agent);
  if (!route) throw new Error(`${agent} has no route`);
  const own = { authorization: `Bearer ${route.apiKey}`, 'content-type': 'application/json', ...headers };
  const signal = new AbortController().signal;
  const answer = await callAtHost(ada, { route, actor: ada.actor, face, body: Buffer.from(JSON.stringify(body)), headers: Object.entries(own).flat(), signal });
  const text = (answer.body instanceof Readable ? await buffer(answer.body) : answer.body).toString();
  return JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? 'null'));
}
const message = (parts: unknown[], more: object = {}): unknown => ({ message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts, ...more } });
const a2a = { 'a2a-version': '1.0' };

test('over A2A at its own host: input-required there is input-required here, and the answer goes back', async () => {
  const send = (body: unknown): Promise<unknown> => atHost('echo-agent', { kind: 'task', path: '/message:send' }, body, a2a);
  const { task } = Task.parse(await send(message([{ data: { skill: 'say_it', args: { text: 'ask me' } } }])));
  expect(task.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'Which colour?' }] } });
  await send(message([{ text: 'red' }], { taskId: task.id, contextId: task.contextId }));
  const look = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: task.id } };
  await vi.waitFor(
    async () => {
      const now = await atHost('echo-agent', { kind: 'task', path: '/a2a' }, look, a2a);
      const result = expect.objectContaining({ name: 'result', parts: [expect.objectContaining({ data: { text: 'you said: red' } })] });
      expect(now).toMatchObject({ result: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: expect.arrayContaining([result]) } });
    },
    { timeout: 15_000 },
  );
});

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
const Answer = z.looseObject({ result: z.looseObject({ requestState: z.string().optional(), inputRequests: z.record(z.string(), z.unknown()).optional() }) });

test('over MCP at its own host, what a tool elicits is elicited from the caller', async () => {
  const call = async (more: object): Promise<z.infer<typeof Answer>['result']> => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet_person', arguments: {}, _meta: meta, ...more } };
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'greet_person',
      accept: 'application/json, text/event-stream',
    };
    return Answer.parse(await atHost('adder', { kind: 'tools' }, body, headers)).result;
  };
  const asked = await call({});
  const [id, request] = Object.entries(asked.inputRequests ?? {})[0] ?? [];
  expect(request).toMatchObject({ params: { message: 'Who?', requestedSchema: { properties: { name: { type: 'string' } } } } });
  const told = await call({ requestState: asked.requestState, inputResponses: { [id ?? '']: { action: 'accept', content: { name: 'Ada' } } } });
  expect(told).toMatchObject({ structuredContent: { text: 'Hello, Ada!' } });
});

test('called through the API, its question is one of the run, for the person it works for', async () => {
  const out = await invokeSkill(ada, {
    name: 'echo-agent',
    skill_name: 'say_it',
    args: { text: 'ask me' },
    accept: undefined,
    signal: new AbortController().signal,
  });
  expect(out.status).toBe(202);
  const { run_id } = z.looseObject({ run_id: z.string() }).parse(out.body);
  expect(await world.ctx.db('waits').where({ run_id }).select('kind', 'state', 'asked_of')).toEqual([
    { kind: 'question', state: 'pending', asked_of: ada.actor.user_id },
  ]);
});

test('MCP through the API lists its tools and calls them, with a receipt', cites('agents.mcp'), async () => {
  const post = (body: unknown): Promise<Response> =>
    fetch(`${world.url}/v1/agents/adder/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.tokens.ada}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, ...Object(body) }),
    });
  const read = async (response: Response): Promise<unknown> => {
    const text = await response.text();
    return JSON.parse(/^data: (\{.*"id":7.*)$/m.exec(text)?.[1] ?? text);
  };
  expect(await read(await post({ method: 'tools/list' }))).toMatchObject({ result: { tools: [{ name: 'add' }, { name: 'greet_person' }] } });
  expect(await read(await post({ method: 'tools/call', params: { name: 'add', arguments: { a: 2, b: 3 } } }))).toMatchObject({
    result: { structuredContent: { sum: 5 } },
  });
  await vi.waitFor(async () => expect(await world.ctx.db('receipts').where({ skill: 'add', status: 'ok' })).not.toEqual([]));
});
