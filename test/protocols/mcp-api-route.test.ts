// An agent's tools through the API: the protocol's headers pass both ways, and whoever is not signed in reads
// where a public agent takes the same.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { cites } from '../spec/verifies.ts';
import { mcpWorld, type McpWorld } from './mcp-world.ts';

const seen = { begun: 0, cancelled: 0 };

class Works extends Agent {
  override name = 'works';
  override description = 'For tests.';
  override version = '1.0.0';
  override concurrency = 4;
  work = skill({}, async (ctx) => {
    seen.begun += 1;
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
    seen.cancelled += 1;
  });
  region = skill({ input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) }, async (_ctx, { region }) => region);
}

let it: McpWorld;
beforeAll(async () => {
  it = await mcpWorld((name) => Object.assign(new Works(), { name }));
});
afterAll(() => it.close());

const BOTH = 'application/json, text/event-stream';
const EARLIER = { 'mcp-protocol-version': '2025-11-25' };

function send(message: object, headers: Record<string, string> = {}, agent = it.agent.name): Promise<Response> {
  return fetch(`${it.world.url}/v1/agents/${agent}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${it.world.tokens.ada}`, accept: BOTH, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

test('without a token the answer names the address of a public agent, of whatever name', cites('agents.mcp'), async () => {
  for (const name of [it.agent.name, 'nobody-has-this']) {
    const url = `${it.world.url}/v1/agents/${name}/mcp`;
    const refused = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    const { detail } = z.object({ detail: z.object({ code: z.string(), message: z.string() }) }).parse(await refused.json());
    const { baseUrl, agentsDomain } = it.world.ctx.config;
    expect([refused.status, detail.code]).toEqual([401, 'unauthenticated']);
    expect(detail.message).toContain(`${new URL(baseUrl).protocol}//${name}.${agentsDomain}/mcp`);
  }
  const odd = await fetch(`${it.world.url}/v1/agents/${encodeURIComponent('a"b.evil.test/')}/mcp`, { method: 'POST', body: '{}' });
  expect(await odd.text()).not.toContain('evil.test');
});

test('the form of the answer is the one that the caller takes', async () => {
  const list = { id: 1, method: 'tools/list' };
  for (const accept of ['*/*', 'application/json']) {
    const response = await send(list, { ...EARLIER, accept });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringContaining('application/json')]);
    expect(await response.json()).toMatchObject({ result: { tools: [{ name: 'work' }, { name: 'region' }] } });
  }
  const stream = await send(list, EARLIER);
  expect([stream.status, stream.headers.get('content-type'), await stream.text()]).toEqual([200, 'text/event-stream', expect.stringContaining('"region"')]);
});

test('a session passes both ways, and by it a call is cancelled', async () => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const begun = await send({ id: 0, method: 'initialize', params }, { accept: 'application/json' });
  const session = begun.headers.get('mcp-session-id') ?? '';
  expect(session).toMatch(/^svc_mcp_/);
  const inSession = { ...EARLIER, 'mcp-session-id': session };
  const before = { ...seen, receipts: await receipts() };
  const call = send({ id: 7, method: 'tools/call', params: { name: 'work', arguments: {}, _meta: { progressToken: 1 } } }, inSession);
  await vi.waitFor(() => expect(seen.begun).toBe(before.begun + 1));
  expect(
    (await send({ method: 'notifications/cancelled', params: { requestId: 7 } }, { ...inSession, 'mcp-session-id': `${session.slice(0, -1)}~` })).status,
  ).toBe(202);
  expect(seen.cancelled).toBe(before.cancelled);
  expect((await send({ method: 'notifications/cancelled', params: { requestId: 7 } }, inSession)).status).toBe(202);
  await vi.waitFor(() => expect(seen.cancelled).toBe(before.cancelled + 1));
  expect(await (await call).text()).not.toContain('"result"');
  await vi.waitFor(async () => expect((await receipts()).slice(before.receipts.length)).toEqual([{ status: 'cancelled' }]), 10_000);
});

test('arguments that a client repeats as headers reach the agent, which holds them against each other', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const call = { id: 1, method: 'tools/call', params: { name: 'region', arguments: { region: 'eu' }, _meta } };
  const newest = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'region' };
  const right = await send(call, { ...newest, 'mcp-param-region': 'eu' });
  expect(await right.json()).toMatchObject({ result: { structuredContent: { result: 'eu' } } });
  const wrong = await send(call, { ...newest, 'mcp-param-region': 'us' });
  expect([wrong.status, await wrong.json()]).toEqual([400, expect.objectContaining({ error: expect.anything() })]);
});

const receipts = () => it.world.ctx.db('receipts').where({ agent_id: it.agent.id }).orderBy('receipt_id').select('status');
