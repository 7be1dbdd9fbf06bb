// A deploy under clients who wait: tasks of A2A and MCP of an agent in a machine that sleeps, answered and
// read when another version is live, and what changes pushed to an address that the agent itself may not
// reach.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { CredentialStore } from '#cli/login/credentials.ts';
import { type Installation, installation, ok } from './installation.ts';

let i: Installation;
let receiver: Server;
let hook = '';
const pushed: string[] = [];
const tokens: Record<string, string> = {};
const within = { timeout: 300_000, interval: 500 };

const files = (version: string): Record<string, string> => ({
  'svc.yaml': `name: desk\nversion: ${version}\nentrypoint: agent:Desk\n`,
  'package.json': JSON.stringify({ name: 'desk', version, type: 'module', private: true }),
  'agent.ts': `import { Agent, skill, z } from '@svc/sdk';

export class Desk extends Agent {
  name = 'desk';
  description = 'Answers at a desk';
  version = '${version}';
  concurrency = 16;
  capabilities = { push_notifications: true };
  ask = skill({}, async (ctx) => \`\${await ctx.ask('Which colour?', 3600)} from ${version}\`);
  add = skill({ input: z.object({ a: z.number(), b: z.number() }) }, async (_ctx, { a, b }) => {
    // Long enough to become a task of MCP.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return { sum: a + b, version: '${version}' };
  });
}
`,
});

beforeAll(async () => {
  receiver = createServer((asked, response) => {
    void text(asked).then((body) => {
      pushed.push(body);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo; // it listens on TCP
  hook = `http://127.0.0.1:${port}/hook`;
  i = await installation({ SVC_PAUSE_AFTER_SECONDS: '1', SVC_SUSPEND_AFTER_SECONDS: '2', SVC_PUSH_LOCAL_HOSTS: `127.0.0.1:${port}` });
  ok(await i.stack('up'));
  for (const who of ['ada', 'ben']) {
    const home = join(i.home, '..', who);
    ok(await i.svcAs(home, 'login', '--local', `${who}@svc.local`));
    tokens[who] = (await new CredentialStore(join(home, '.svc')).get(i.baseUrl))?.access_token ?? '';
  }
  await deploy('1.0.0');
});
afterAll(async () => {
  await i?.destroy();
  receiver.closeAllConnections();
  receiver.close();
});

async function deploy(version: string): Promise<void> {
  ok(await i.svcAs(join(i.home, '..', 'ada'), 'deploy', await i.project('desk', files(version)), '--public', '--wait'));
}

async function atHost(
  who: string | null,
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<{ status: number; body: unknown }> {
  const response = await request(`${i.baseUrl}${path}`, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
      ...(who !== null && { authorization: `Bearer ${tokens[who]}` }),
      host: `desk.localhost:${i.port}`,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const said = await response.body.text();
  return { status: response.statusCode, body: JSON.parse(/^data: (.*)$/m.exec(said)?.[1] ?? said) };
}

const A2A = { 'a2a-version': '1.0' };
const Task = z.looseObject({ id: z.string(), status: z.looseObject({ state: z.string() }) });
type Task = z.infer<typeof Task>;
const Sent = z.object({ task: Task });

async function send(who: string | null, message: object, configuration: object = {}): Promise<Task> {
  const whole = { messageId: crypto.randomUUID(), role: 'ROLE_USER', ...message };
  return Sent.parse((await atHost(who, 'POST', '/message:send', A2A, { message: whole, configuration })).body).task;
}
const begin = (who: string | null, name: string, args: object = {}, configuration: object = {}): Promise<Task> =>
  send(who, { parts: [{ data: args }], metadata: { skill: name } }, configuration);
const read = (who: string | null, id: string) => atHost(who, 'GET', `/tasks/${id}`, A2A);

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
const McpTask = z.looseObject({ taskId: z.string(), status: z.string(), inputRequests: z.record(z.string(), z.unknown()).optional() });

async function mcp(who: string, method: string, params: { name?: string; taskId?: string; [more: string]: unknown }): Promise<unknown> {
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': params.name ?? params.taskId ?? '' };
  const answer = await atHost(who, 'POST', '/mcp', headers, { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
  const { result, error } = z.looseObject({ result: z.unknown(), error: z.unknown() }).partial().parse(answer.body);
  return result ?? { error };
}

test('a deploy takes no task from its caller, and gives none to another', async () => {
  const open = await begin('ada', 'ask', {}, { taskPushNotificationConfig: { url: hook } });
  const done = await begin('ada', 'add', { a: 1, b: 2 });
  const anonymous = await begin(null, 'ask');
  const mcpOpen = McpTask.parse(await mcp('ada', 'tools/call', { name: 'ask', arguments: {} }));
  const mcpDone = McpTask.parse(await mcp('ada', 'tools/call', { name: 'add', arguments: { a: 3, b: 4 } }));
  expect([open.status.state, done.status.state, anonymous.status.state]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_COMPLETED', 'TASK_STATE_INPUT_REQUIRED']); // prettier-ignore
  await vi.waitFor(async () => expect(await mcp('ada', 'tasks/get', { taskId: mcpDone.taskId })).toMatchObject({ status: 'completed' }), within);

  await deploy('1.0.1');
  expect(JSON.stringify((await begin('ada', 'add', { a: 1, b: 2 }))['artifacts'])).toContain('1.0.1');
  expect((await read('ada', done.id)).body).toEqual(done);
  expect((await read('ada', open.id)).body).toMatchObject({ status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
  for (const id of [open.id, done.id, anonymous.id]) expect((await read('ben', id)).status).toBe(404);
  expect(await mcp('ben', 'tasks/get', { taskId: mcpOpen.taskId })).toMatchObject({ error: { code: -32602 } });
  expect(await mcp('ada', 'tasks/get', { taskId: mcpDone.taskId })).toMatchObject({
    status: 'completed',
    result: { structuredContent: { sum: 7, version: '1.0.0' } },
  });

  const answer = { parts: [{ text: 'red' }] };
  for (const [who, id] of [
    ['ada', open.id],
    [null, anonymous.id],
  ] as const) {
    // prettier-ignore
    const answered = await send(who, { ...answer, taskId: id });
    expect([answered.status.state, JSON.stringify(answered['artifacts'])]).toEqual(['TASK_STATE_COMPLETED', expect.stringContaining('red from 1.0.0')]);
  }
  const [questionId = ''] = Object.keys(McpTask.parse(await mcp('ada', 'tasks/get', { taskId: mcpOpen.taskId })).inputRequests ?? {});
  await mcp('ada', 'tasks/update', { taskId: mcpOpen.taskId, inputResponses: { [questionId]: { action: 'accept', content: { answer: 'blue' } } } });
  const ended = (): Promise<unknown> => mcp('ada', 'tasks/get', { taskId: mcpOpen.taskId });
  await vi.waitFor(async () => expect(await ended()).toMatchObject({ status: 'completed' }), within);
  await vi.waitFor(() => expect(pushed.at(-1)).toContain('TASK_STATE_COMPLETED'), within);

  // Of machines that are gone, too.
  ok(await i.svcAs(join(i.home, '..', 'ada'), 'rollback', 'desk'));
  expect(await ended()).toMatchObject({ status: 'completed', result: { structuredContent: { result: 'blue from 1.0.0' } } });
  expect((await read('ada', open.id)).body).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
});
