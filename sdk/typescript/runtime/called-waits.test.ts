// What a called agent asks is told to the caller of the first one, on every way in, and is answered only at
// the platform.
import { HttpAgent } from '@ag-ui/client';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { HEADER } from '../../../contract/wire/headers.ts';
import { Agent } from '../authoring/agent.ts';
import { skill } from '../authoring/skill.ts';
import { A2AClient } from '../platform/a2a-client.ts';
import type { KnownWaits } from '../platform/call-waits.ts';
import { localPlatform } from '../platform/local.ts';
import { serve, type Served } from '../test/serve.ts';
import type { RunPlatform } from './platform.ts';

class Buyer extends Agent {
  name = 'buyer';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 8;
  buy = skill({ stream: true }, async (ctx) => ({ answer: await ctx.ask('Pay 100 euros?', 60) }));
}
class Planner extends Agent {
  name = 'planner';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 8;
  plan = skill({ stream: true, timeoutSeconds: 20 }, async (ctx) => ({ bought: (await ctx.call('buyer', 'buy', {})).result }));
}

/** Both of one platform, which keeps what is asked and answers nothing on its own. */
async function agents(): Promise<{ planner: Served; pay: (answer: string) => Promise<number>; waitId: () => string }> {
  const local = localPlatform();
  let [waitId, answered] = ['', false];
  const asking: RunPlatform = {
    ...local,
    attach: (run) => ({
      ...local.attach(run),
      openQuestion: async ({ id }) => void (waitId = id),
      giveUp: async () => undefined,
    }),
  };
  const known = (): KnownWaits => {
    const waits = waitId !== '' && !answered;
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    return { waits, open: waits ? [{ wait_id: waitId, agent: 'buyer', skill: 'buy', prompt: 'Pay 100 euros?', expires_at }] : [] };
  };
  const buyer = await serve(Buyer, { platform: asking });
  const calls = new A2AClient({ locate: async () => buyer.url, bearer: () => 'of the run', waits: async () => known() });
  const calling: RunPlatform = { ...local, attach: (run) => ({ ...local.attach(run), call: (...args) => calls.call(...args) }) };
  const planner = await serve(Planner, { platform: calling, apiKey: 'key' });
  const pay = async (answer: string): Promise<number> => {
    answered = true;
    return (await buyer.post(`/answers/${waitId}`, { answer })).status;
  };
  return { planner, pay, waitId: () => waitId };
}
const key = { authorization: 'Bearer key' };
const says = (waitId: string): RegExp => new RegExp(`^buyer/buy asks: Pay 100 euros\\?\\n\\nAnswer ${waitId} at the platform`);

test('a stream says what is asked, by whom, and goes on when it is answered', async () => {
  const { planner, pay, waitId } = await agents();
  const seen: string[] = [];
  for await (const { kind, payload } of planner.stream('/invoke/plan', {}, { headers: { ...key, accept: 'text/event-stream' } })) {
    seen.push(kind === 'status' ? `status ${String(payload['state'])}` : kind);
    if (kind === 'result') expect(payload).toEqual({ result: { bought: { answer: 'yes' } } });
    if (kind !== 'platform_wait') continue;
    expect(payload).toMatchObject({ wait_id: waitId(), agent: 'buyer', skill: 'buy', prompt: 'Pay 100 euros?', expires_at: expect.any(String) });
    // The agent in between has no way to answer it.
    for (const id of [waitId(), String(payload['request_id'])])
      expect((await planner.post(`/answers/${id}`, { answer: 'no' }, { headers: key })).status).toBe(404);
    expect(await pay('yes')).toBe(200);
  }
  expect(seen.filter((one) => one !== 'status running')).toEqual(['status waiting', 'platform_wait', 'result']);
});

test('an MCP task says what to answer and where, takes no answer itself, and completes', async () => {
  const { planner, pay, waitId } = await agents();
  const taskId = z.object({ taskId: z.string() }).parse(await mcp(planner, 'tools/call', { name: 'plan', arguments: {} })).taskId;
  const get = () => mcp(planner, 'tasks/get', { taskId });
  const [id, request] = await vi.waitFor(async () => {
    const { status, inputRequests } = await get();
    expect(status).toBe('input_required');
    const [first] = Object.entries(z.record(z.string(), z.looseObject({ params: z.looseObject({ message: z.string() }) })).parse(inputRequests));
    if (!first) throw new Error('nothing is asked');
    return first;
  });
  expect(request.params.message).toMatch(says(waitId()));
  await mcp(planner, 'tasks/update', { taskId, inputResponses: { [id]: { action: 'accept', content: { answer: 'forged' } } } });
  expect((await get())['status']).toBe('input_required');
  expect(await pay('yes')).toBe(200);
  await vi.waitFor(async () => expect(await get()).toMatchObject({ status: 'completed', result: { structuredContent: { bought: { answer: 'yes' } } } }));
});

test('a task of A2A needs its person at the platform, and completes', async () => {
  const { planner, pay, waitId } = await agents();
  const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: '@plan {}' }] };
  const headers = { ...key, 'a2a-version': '1.0' };
  const Sent = z.object({ task: z.looseObject({ id: z.string() }) });
  const sent = await (await planner.post('/message:send', { message, configuration: { returnImmediately: true } }, { headers })).json();
  const { task } = Sent.parse(sent);
  const get = async (): Promise<unknown> => (await fetch(`${planner.url}/tasks/${task.id}`, { headers })).json();
  await vi.waitFor(async () =>
    expect(await get()).toMatchObject({ status: { state: 'TASK_STATE_AUTH_REQUIRED', message: { parts: [{ text: expect.stringMatching(says(waitId())) }] } } }),
  );
  expect(await pay('yes')).toBe(200);
  await vi.waitFor(async () => expect(await get()).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } }));
});

test('a run of AG-UI is interrupted with what to answer; the next run of the thread follows it to its end', async () => {
  const { planner, pay, waitId } = await agents();
  const agent = new HttpAgent({ url: `${planner.url}/ag-ui`, threadId: crypto.randomUUID(), headers: key });
  const ended: unknown[] = [];
  agent.subscribe({ onEvent: ({ event }) => void ended.push(event) });
  agent.addMessage({ id: 'm1', role: 'user', content: '@plan' });
  await agent.runAgent();
  const Interrupt = z.object({ outcome: z.object({ interrupts: z.array(z.looseObject({ id: z.string(), message: z.string() })) }) });
  const [asked] = Interrupt.parse(ended.at(-1)).outcome.interrupts;
  expect(asked).toMatchObject({ reason: 'svc:platform_wait', message: expect.stringMatching(says(waitId())) });
  expect(await pay('yes')).toBe(200);
  const { result } = await agent.runAgent({ resume: [{ interruptId: asked?.id ?? '', status: 'resolved', payload: {} }] });
  expect(result).toEqual({ bought: { answer: 'yes' } });
});

const META = 'io.modelcontextprotocol/';
let sent = 0;
/** As a client of 2026. */
async function mcp(served: Served, method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
  const meta = {
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientInfo`]: { name: 'test', version: '1' },
    [`${META}clientCapabilities`]: { extensions: { [`${META}tasks`]: {} }, elicitation: { form: {} } },
  };
  const response = await served.post(
    '/mcp',
    { jsonrpc: '2.0', id: (sent += 1), method, params: { ...params, _meta: meta } },
    {
      headers: {
        ...key,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params['taskId'] ?? params['name']),
        [HEADER.runToken]: `svc_run_${Buffer.from(JSON.stringify({ u: null, c: ['user', 'ann'] })).toString('base64url')}.mac`,
        [HEADER.runId]: `run_${crypto.randomUUID()}`,
      },
    },
  );
  const text = await response.text();
  return z.object({ result: z.record(z.string(), z.unknown()) }).parse(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)).result;
}
