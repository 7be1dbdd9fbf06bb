// A client whose connection breaks while its run waits for a person. By the revisions of 2025 that is no
// cancellation; by that of 2026 it is.
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { mcpWorld, type Era, type McpWorld } from './mcp-world.ts';

const go = Promise.withResolvers<void>();
const seen = { asked: 0, ended: 0, begun: 0, cancelled: 0 };

class Asks extends Agent {
  override name = 'asks';
  override description = 'For tests.';
  override version = '1.0.0';
  override concurrency = 8;
  ask = skill({}, async (ctx) => {
    try {
      seen.asked += 1;
      return `It is ${await ctx.ask('Which colour?', 60)}`;
    } finally {
      seen.ended += 1;
    }
  });
  steps = skill({}, async (ctx) => {
    seen.begun += 1;
    await ctx.emitProgress('first');
    await go.promise;
    return 'done';
  });
  work = skill({}, async (ctx) => {
    seen.begun += 1;
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
    seen.cancelled += 1;
  });
}

let it: McpWorld;
beforeAll(async () => {
  it = await mcpWorld((name) => Object.assign(new Asks(), { name }), { resumeMs: 200 });
});
afterAll(() => it.close());

const receipts = () => it.world.ctx.db('receipts').where({ agent_id: it.agent.id }).orderBy('receipt_id').select('status');

/** Calls, and breaks the connection once the run asks. */
async function leaveWhileAsked(era: Era): Promise<void> {
  const before = seen.asked;
  const client = await it.connect('ada', { era, capabilities: { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } } });
  const shown = Promise.withResolvers<void>();
  client.setRequestHandler('elicitation/create', async () => {
    shown.resolve();
    return await new Promise<never>(() => {});
  });
  const call = client.callTool({ name: 'ask', arguments: {} }).catch(() => undefined);
  await vi.waitFor(() => expect(seen.asked).toBe(before + 1));
  await shown.promise;
  await client.close();
  await call;
}

test('2025: the run goes on; its question is answered by the same caller, and its receipt says how it ended', async () => {
  const { ended } = seen;
  await leaveWhileAsked('legacy');
  const again = await it.connect('ada', { era: 'legacy' });
  const stranger = await it.connect('ben', { era: 'legacy' });
  await vi.waitFor(async () => expect((await again.listTools()).tools.map(({ name }) => name)).toContain('answer_question'));
  expect((await stranger.listTools()).tools.map(({ name }) => name)).not.toContain('answer_question');
  expect(seen.ended).toBe(ended);
  const wait = await it.world.ctx.db('waits').where({ agent_id: it.agent.id, state: 'pending' }).first('wait_id');
  const question_id = wait?.wait_id ?? '';
  const foreign = await stranger
    .callTool({ name: 'answer_question', arguments: { question_id, answer: 'red' } })
    .catch((error: Error) => ({ isError: true, error }));
  expect(foreign).toMatchObject({ isError: true });
  const answered = await again.callTool({ name: 'answer_question', arguments: { question_id, answer: 'blue' } });
  expect(z.object({ result: z.string() }).parse(answered.structuredContent)).toEqual({ result: 'It is blue' });
  await vi.waitFor(async () => expect(await receipts()).toEqual([{ status: 'ok' }]), 10_000);
});

test.each<[Era, 'leaves' | 'cancels']>([
  ['legacy', 'leaves'],
  ['legacy', 'cancels'],
  ['auto', 'cancels'],
])('a run that waits for nobody ends when its client (%s) %s', async (era, how) => {
  const before = { ...seen, receipts: (await receipts()).length };
  const client = await it.connect('ada', { era });
  onTestFinished(() => client.close());
  const controller = new AbortController();
  const call = client.callTool({ name: 'work', arguments: {} }, { signal: controller.signal, onprogress: () => undefined }).catch(() => undefined);
  await vi.waitFor(() => expect(seen.begun).toBe(before.begun + 1));
  if (how === 'leaves') await client.close();
  else controller.abort();
  await call;
  await vi.waitFor(() => expect(seen.cancelled).toBe(before.cancelled + 1));
  await vi.waitFor(async () => expect((await receipts()).slice(before.receipts)).toEqual([{ status: 'cancelled' }]), 10_000);
});

test('2025: a client whose connection breaks comes again and gets its answer; the call has one receipt, of how it ended', async () => {
  const before = (await receipts()).length;
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    'content-type': 'application/json',
    authorization: `Bearer ${it.world.tokens.ada}`,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'steps', arguments: {}, _meta: { progressToken: 1 } } });
  const broken = await fetch(it.url, { method: 'POST', headers, body });
  let text = '';
  for await (const chunk of broken.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes('first')) break;
  }
  const last = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
  const stolen = await fetch(it.url, { headers: { ...headers, 'last-event-id': last, authorization: `Bearer ${it.world.tokens.ben}` } });
  expect(stolen.status).toBe(400);
  const resumed = await fetch(it.url, { headers: { ...headers, 'last-event-id': last } });
  expect([resumed.status, resumed.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  go.resolve();
  expect(await resumed.text()).toContain('"structuredContent":{"result":"done"}');
  await vi.waitFor(async () => expect((await receipts()).slice(before)).toEqual([{ status: 'ok' }]), 10_000);
});
