// Ids beyond 2^53: a caller sends one, an agent answers with one. Neither may become another on the way, and
// the receipt may not hash another.
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { callAtHost } from '#test/support/calls.ts';
import { createWorld, type World } from '../api/world.ts';
import { socketOf } from '../support/agent-socket.ts';
import { type LiveAgent, liveAgent } from '../support/runs.ts';

const BIG = '9007199254740993';
let world: World;
let agent: LiveAgent;
let server: Server;
/** What the agent was asked, and what it answers, digit by digit. */
const asked: string[] = [];
let answer = { type: 'application/json', text: '{}' };
beforeAll(async () => {
  world = await createWorld();
  const ada = (await world.ctx.db('users').where('email', 'like', 'ada-%').first('user_id'))?.user_id ?? '';
  const skills = [{ id: 'work', name: 'work', input_schema: {}, output_schema: {} }];
  agent = await liveAgent(world.ctx, ada, { visibility: 'public', card: { skills } });
  const path = socketOf(world.ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      asked.push(bytes.toString());
      response.writeHead(200, { 'content-type': answer.type }).end(answer.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await world.close();
});

async function invoke(body: string): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${world.tokens.ada}`, 'content-type': 'application/json' };
  const response = await fetch(`${world.url}/v1/agents/${agent.name}/api/invoke/work`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}
const receipts = () => world.ctx.db('receipts').where({ agent_id: agent.id }).orderBy('seq', 'desc');

test.each([BIG, `-${BIG}`, '1000000000000000000000000000000', '1e400', '0.12345678901234567890'])(
  'an argument %s is refused with its reason, over the API and at the address of the agent, and the agent is not asked',
  async (number) => {
    asked.length = 0;
    const body = `{"deep":[{"id":${number}}]}`;
    const refused = await invoke(body);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(`${number} cannot be carried exactly`);
    const route = await resolveRoute(world.ctx, agent.name);
    if (!route) throw new Error('no route');
    for (const face of [{ kind: 'skill', skill: 'work' }, { kind: 'tools' }, { kind: 'task', path: '/a2a' }] as const) {
      const call = { route, actor: { kind: 'anonymous' } as const, face, body: Buffer.from(body), headers: [], signal: AbortSignal.timeout(60_000) };
      await expect(callAtHost(world.ctx, call)).rejects.toMatchObject({ code: 'invalid_input' });
    }
    expect(asked).toEqual([]);
  },
);

test('the greatest exact ones arrive digit by digit', async () => {
  asked.length = 0;
  answer = { type: 'application/json', text: '{"id":-9007199254740991,"far":1e+300}' };
  const { status, text } = await invoke('{"id":9007199254740991,"text":"9007199254740993"}');
  expect([status, JSON.parse(text)]).toEqual([200, { id: -9007199254740991, far: 1e300 }]);
  expect(asked).toEqual(['{"id":9007199254740991,"text":"9007199254740993"}']);
});

test('an agent that answers with one fails, whole or streamed: no receipt hashes what it did not say', async () => {
  answer = { type: 'application/json', text: `{"id":${BIG}}` };
  expect((await invoke('{}')).status).toBe(502);
  answer = { type: 'text/event-stream', text: `id: 1\nevent: result\ndata: {"kind":"result","payload":{"result":{"id":${BIG}}}}\n\n` };
  const route = await resolveRoute(world.ctx, agent.name);
  if (!route) throw new Error('no route');
  const streaming = { route, actor: { kind: 'anonymous' } as const, face: { kind: 'skill', skill: 'work' } as const, body: Buffer.from('{}') };
  const { body } = await callAtHost(world.ctx, { ...streaming, headers: [], signal: AbortSignal.timeout(60_000) });
  // Safe: the agent answered with a stream.
  await buffer(body as Readable);
  const [streamed, whole] = await receipts();
  for (const receipt of [streamed, whole]) expect(receipt?.payload).toMatchObject({ status: 'error', error_code: 'bad_answer', output_sha256: null });
});
