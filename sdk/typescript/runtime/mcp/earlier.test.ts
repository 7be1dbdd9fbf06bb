// Clients of 2025: calls that are cancelled by a message, streams that break and are read on, lists without
// pages, and what a session subscribes to.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createParser } from 'eventsource-parser';
import { expect, it, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { HEADER } from '../../../../contract/wire/headers.ts';
import { Agent } from '../../authoring/agent.ts';
import { resource } from '../../authoring/resource.ts';
import { skill } from '../../authoring/skill.ts';
import { localPlatform } from '../../platform/local.ts';
import { serve, type Served } from '../../test/serve.ts';

class Works extends Agent {
  name = 'works';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 8;
  begun = 0;
  cancelled = 0;
  asking = '';
  go = Promise.withResolvers<void>();
  stock = resource({ uri: 'stock://all' }, () => 'much');
  item = resource({ uri: 'stock://items/{id}' }, ({ id }, { auth }) => (id === 'secret' ? undefined : JSON.stringify({ id, auth })));
  work = skill({}, async (ctx) => {
    this.begun += 1;
    ctx.signal.addEventListener('abort', () => (this.cancelled += 1), { once: true });
    await ctx.emitProgress('first');
    await Promise.race([this.go.promise, new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }))]);
    await ctx.emitProgress('second');
    return 'done';
  });
  asks = skill({}, async (ctx) => {
    this.begun += 1;
    ctx.signal.addEventListener('abort', () => (this.cancelled += 1), { once: true });
    return await ctx.ask('Which?', 60);
  });
  sell = skill({ input: z.object({ id: z.string().optional() }) }, async (_ctx, { id }) => {
    if (id === undefined) this.stock.changed();
    else this.item.changed({ id });
  });
}

const VERSION = { 'mcp-protocol-version': '2025-11-25' };

function caller(id: string): Record<string, string> {
  return { authorization: 'Bearer key', [HEADER.runToken]: `svc_run_${Buffer.from(JSON.stringify({ u: null, c: ['user', id] })).toString('base64url')}.mac` };
}

interface World {
  agent: Works;
  served: Served;
  /** Sends one message as somebody, in their session. */
  send(message: object, as?: { who?: string; session?: string | undefined; signal?: AbortSignal; headers?: Record<string, string> }): Promise<Response>;
  session(who?: string): Promise<string>;
}

async function begin({ resumeMs = 60_000 } = {}): Promise<World> {
  const agent = new Works();
  const platform = localPlatform({ onQuestion: ({ questionId }) => void (agent.asking = questionId) });
  const served = await serve(agent, { apiKey: 'key', resumeMs, platform });
  onTestFinished(() => agent.go.resolve());
  const send: World['send'] = (message, { who = 'ann', session, signal, headers } = {}) => {
    const own = { accept: 'application/json, text/event-stream', ...VERSION, ...caller(who), [HEADER.runId]: `run_${crypto.randomUUID()}` };
    const init = { headers: { ...own, ...(session !== undefined && { 'mcp-session-id': session }), ...headers }, ...(signal && { signal }) };
    return served.post('/mcp', { jsonrpc: '2.0', ...message }, init);
  };
  const session: World['session'] = async (who) => {
    const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 't', version: '1' } };
    const response = await send({ id: 0, method: 'initialize', params }, { ...(who !== undefined && { who }) });
    await response.body?.cancel();
    return response.headers.get('mcp-session-id') ?? '';
  };
  return { agent, served, send, session };
}

const call = (id: number | string, name = 'work') => ({ id, method: 'tools/call', params: { name, arguments: {}, _meta: { progressToken: 1 } } });
const cancel = (requestId: number | string) => ({ method: 'notifications/cancelled', params: { requestId } });

interface SeenEvent {
  id: string | undefined;
  data: string;
}

/** Reads events until one is found. */
async function until(response: Response, found: (event: SeenEvent) => boolean, seen: SeenEvent[] = []): Promise<SeenEvent[]> {
  const parser = createParser({ onEvent: ({ id, data }) => void seen.push({ id, data }) });
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    parser.feed(chunk);
    if (seen.some(found)) break;
  }
  return seen;
}
const has = (text: string) => (event: SeenEvent) => event.data.includes(text);

it.each(['work', 'asks'])('notifications/cancelled stops the run (%s), also one that waits for a person; its stream ends without an answer', async (name) => {
  const { agent, send, session } = await begin();
  const mine = await session();
  const stream = await send(call(3, name), { session: mine });
  await vi.waitFor(() => expect(agent.begun).toBe(1));
  expect((await send(cancel(3), { session: mine })).status).toBe(202);
  await vi.waitFor(() => expect(agent.cancelled).toBe(1));
  expect(await stream.text()).not.toContain('"result"');
});

it('only with one answer, the answer says that the call was cancelled', async () => {
  const { agent, send, session } = await begin();
  const mine = await session();
  const answer = send(call(3), { session: mine, headers: { accept: 'application/json' } });
  await vi.waitFor(() => expect(agent.begun).toBe(1));
  await send(cancel(3), { session: mine });
  expect(await (await answer).json()).toMatchObject({ id: 3, result: { isError: true, _meta: { 'svc/error': { code: 'cancelled_by_caller' } } } });
});

it('nobody cancels the calls of another caller, of another session, or by a number that two calls have', async () => {
  const { agent, send, session } = await begin();
  const [mine, other] = [await session(), await session()];
  const gone = new AbortController();
  const streams = [send(call(3), { session: mine, signal: gone.signal }), ...[1, 2].map(() => send(call(4), { signal: gone.signal }))];
  await vi.waitFor(() => expect(agent.begun).toBe(3));
  await send(cancel(3), { session: other });
  await send(cancel(3), { who: 'eve', session: mine });
  await send(cancel(3));
  await send(cancel(4));
  await send(cancel(99), { session: mine });
  expect(agent.cancelled).toBe(0);
  await send(cancel(3), { session: mine });
  await vi.waitFor(() => expect(agent.cancelled).toBe(1));
  gone.abort();
  await Promise.allSettled(streams);
});

it('a stream begins with its number, and whose connection breaks reads on where it was', async () => {
  const { agent, served, send } = await begin();
  const broken = new AbortController();
  const first = await send(call(1), { signal: broken.signal });
  const raw = (await until(first, has('first'))).map(({ id, data }) => ({ id, data }));
  expect(raw[0]).toEqual({ id: expect.stringMatching(/^run_[\w-]{36}_[\w-]{36}\.1$/), data: '' });
  broken.abort();
  const last = raw.at(-1)?.id ?? '';
  const again = (headers: Record<string, string>) =>
    fetch(`${served.url}/mcp`, { headers: { accept: 'text/event-stream', ...VERSION, ...caller('ann'), 'last-event-id': last, ...headers } });
  expect((await again(caller('eve'))).status).toBe(400);
  expect((await again({ 'last-event-id': `${last.slice(0, -4)}xxxx.1` })).status).toBe(400);
  expect((await again({ 'last-event-id': 'junk' })).status).toBe(400);
  const resumed = await again({});
  agent.go.resolve();
  const rest = await until(resumed, has('"result"'));
  expect(rest.map(({ data }) => data).join('\n')).not.toContain('first');
  expect(rest.map(({ data }) => data)).toEqual([expect.stringContaining('second'), expect.stringContaining('done')]);
  expect(agent.cancelled).toBe(0);
  // All of it was read.
  await vi.waitFor(async () => expect((await again({})).status).toBe(400));
});

it('whose connection breaks and who does not come again has cancelled', async () => {
  const { agent, send } = await begin({ resumeMs: 1 });
  const broken = new AbortController();
  await until(await send(call(1), { signal: broken.signal }), has('first'));
  broken.abort();
  await vi.waitFor(() => expect(agent.cancelled).toBe(1));
});

it.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])('%s refuses a cursor that it never gave', async (method) => {
  const { send } = await begin();
  for (const cursor of ['unknown', '', Buffer.from('["own",null]').toString('base64url')]) {
    const response = await send({ id: 1, method, params: { cursor } }, { headers: { accept: 'application/json' } });
    expect(await response.json(), cursor).toMatchObject({ error: { code: -32602, message: expect.stringContaining('no cursor') } });
  }
});

async function connect(served: Served, who: string, mode: 'legacy' | 'auto'): Promise<{ client: Client; heard: string[] }> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  const heard: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
  const withRun: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set(HEADER.runId, `run_${crypto.randomUUID()}`);
    return fetch(input, { ...init, headers });
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), { requestInit: { headers: caller(who) }, fetch: withRun }));
  return { client, heard };
}

test('2025: who subscribed to a resource hears that it changed, until they unsubscribe; nobody else does', async () => {
  const { served } = await begin();
  const { client, heard } = await connect(served, 'ann', 'legacy');
  const { client: other, heard: unheard } = await connect(served, 'ann', 'legacy');
  expect(client.getServerCapabilities()?.resources).toEqual({ listChanged: false, subscribe: true });
  await client.subscribeResource({ uri: 'stock://all' });
  await client.subscribeResource({ uri: 'stock://items/a%20b' });
  for (const uri of ['stock://items/secret', 'stock://none', 'svc://artifacts/run_1/x', 'ui://svc/question'])
    await expect(client.subscribeResource({ uri }), uri).rejects.toThrow('cannot be subscribed to');
  await vi.waitFor(async () => {
    await other.callTool({ name: 'sell', arguments: {} });
    expect(heard).toContain('stock://all');
  });
  await client.unsubscribeResource({ uri: 'stock://all' });
  heard.length = 0;
  await other.callTool({ name: 'sell', arguments: {} });
  await other.callTool({ name: 'sell', arguments: { id: 'c' } });
  await other.callTool({ name: 'sell', arguments: { id: 'a b' } });
  await vi.waitFor(() => expect(heard).toEqual(['stock://items/a%20b']));
  expect(unheard).toEqual([]);
});

test('2026: a stream of its own carries them, for what the caller may read', async () => {
  const { agent, served } = await begin();
  const params = {
    notifications: { resourceSubscriptions: ['stock://all', 'stock://items/secret', 'svc://artifacts/run_1/x'] },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const headers = { accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen', ...caller('ann') };
  const response = await served.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }, { headers });
  const seen: SeenEvent[] = [];
  const read = until(response, has('resources/updated'), seen);
  await vi.waitFor(() => expect(seen).toHaveLength(1));
  expect(JSON.parse(seen[0]?.data ?? '')).toMatchObject({ params: { notifications: { resourceSubscriptions: ['stock://all'] } } });
  agent.item.changed({ id: 'secret' });
  agent.stock.changed();
  await read;
  expect(seen.slice(1).map(({ data }) => JSON.parse(data))).toMatchObject([{ method: 'notifications/resources/updated', params: { uri: 'stock://all' } }]);
});

test('a session has one stream, and who has no session has none', async () => {
  const { served, send, session } = await begin();
  const listen = (more: Record<string, string>) =>
    fetch(`${served.url}/mcp`, { headers: { accept: 'text/event-stream', ...VERSION, ...caller('ann'), ...more } });
  expect((await listen({})).status).toBe(405);
  const refused = await send({ id: 1, method: 'resources/subscribe', params: { uri: 'stock://all' } }, { headers: { accept: 'application/json' } });
  expect(await refused.json()).toMatchObject({ error: { code: -32602, message: expect.stringContaining('session') } });
  const mine = { 'mcp-session-id': await session() };
  const [first, second] = [await listen(mine), await listen(mine)];
  expect([first.status, second.status, await first.text()]).toEqual([200, 200, '']);
  await second.body?.cancel();
});

test('whose connection breaks while the run asks may answer by another request; the run outlives the first', async () => {
  const { agent, send, session } = await begin({ resumeMs: 1 });
  const mine = await session();
  const broken = new AbortController();
  await until(await send(call(1, 'asks'), { session: mine, signal: broken.signal }), has('elicitation/create'));
  broken.abort();
  const text = async (body: object) => (await send(body, { headers: { accept: 'application/json' } })).text();
  await vi.waitFor(async () => expect(await text({ id: 2, method: 'tools/list' })).toContain('answer_question'));
  const answer = { name: 'answer_question', arguments: { question_id: agent.asking, answer: 'this' } };
  expect(await text({ id: 3, method: 'tools/call', params: answer })).toContain('"structuredContent":{"result":"this"}');
  expect(agent.cancelled).toBe(0);
});
