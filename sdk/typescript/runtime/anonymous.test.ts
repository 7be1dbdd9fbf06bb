// Two anonymous callers of a public agent: neither sees, lists, answers or ends what the other has open, on
// any surface.
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { HEADER } from '../../../contract/wire/headers.ts';
import { Agent } from '../authoring/agent.ts';
import { skill } from '../authoring/skill.ts';
import { controlPlane } from '../platform/control-plane.ts';
import { platformPeer } from '../test/platform-peer.ts';
import { serve, type Served } from '../test/serve.ts';

class Asks extends Agent {
  name = 'asks';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 4;
  paint = skill({ output: z.object({ colour: z.string() }) }, async (ctx) => ({ colour: await ctx.ask('Which colour?', 30) }));
}

async function served(): Promise<Served> {
  const peer = await platformPeer();
  peer.answers.ask = () => ({ status: 403, code: 'nobody_to_ask', message: 'anonymous' });
  peer.answers['tasks.write'] = () => ({ value: undefined });
  peer.answers['tasks.get'] = () => ({ status: 404, code: 'task_not_found', message: 'no such task' });
  return serve(new Asks(), { apiKey: 'key', platform: controlPlane({ url: peer.url }) });
}

/**
 * As the ingress sends what somebody unknown asks: each request with a run of its own, whose credential names
 * nobody.
 */
function asAnonymous(more: Record<string, string> = {}): Record<string, string> {
  const nobody = Buffer.from(JSON.stringify({ u: null, c: ['anonymous', null] })).toString('base64url');
  return { authorization: 'Bearer key', [HEADER.runToken]: `svc_run_${nobody}.mac`, [HEADER.runId]: `run_${crypto.randomUUID()}`, ...more };
}

const questionIn = ({ _meta }: CallToolResult): string => z.object({ question_id: z.string() }).parse(_meta?.['svc/question']).question_id;
const textOf = ({ content }: CallToolResult): string => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

describe.each(['legacy', 'auto'] as const)('over MCP (%s)', (mode) => {
  async function client({ url }: Served): Promise<Client> {
    const made = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    onTestFinished(() => made.close());
    const anonymously: typeof fetch = (input, init) =>
      fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...asAnonymous() } });
    await made.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { fetch: anonymously }));
    return made;
  }
  const answer = (by: Client, question_id: string, text: string): Promise<CallToolResult> =>
    by.callTool({ name: 'answer_question', arguments: { question_id, answer: text } });
  const toolsOf = async (by: Client): Promise<string[]> => (await by.listTools()).tools.map(({ name }) => name);

  it('one has a question open, the other sees the tools and answers as if there were none', async () => {
    const agent = await served();
    const [ann, ben] = [await client(agent), await client(agent)];
    const before = { tools: await toolsOf(ben), guess: await answer(ben, 'qst_guess', 'red').then(textOf, String) };
    const asked = questionIn(await ann.callTool({ name: 'paint', arguments: {} }));
    expect({ tools: await toolsOf(ben), guess: await answer(ben, 'qst_guess', 'red').then(textOf, String) }).toEqual(before);
    expect(before.tools).not.toContain('answer_question');
    // Where clients have sessions, each sees its own; and another's question is none, even by its id.
    if (mode === 'legacy') {
      expect(await toolsOf(ann)).toContain('answer_question');
      expect(await answer(ben, asked, 'mine').then(textOf, String)).toBe(before.guess);
    }
    expect((await answer(ann, asked, 'red')).structuredContent).toEqual({ colour: 'red' });
  });

  it('both have one open: each answers its own', async () => {
    const agent = await served();
    const [ann, ben] = [await client(agent), await client(agent)];
    const [anns, bens] = [questionIn(await ann.callTool({ name: 'paint', arguments: {} })), questionIn(await ben.callTool({ name: 'paint', arguments: {} }))];
    expect((await answer(ben, bens, 'blue')).structuredContent).toEqual({ colour: 'blue' });
    expect((await answer(ann, anns, 'red')).structuredContent).toEqual({ colour: 'red' });
  });
});

it('only the agent names a session; it differs each time, and gives no identity', async () => {
  const agent = await served();
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  };
  const accept = 'application/json, text/event-stream';
  const ids = await Promise.all([1, 2].map(async () => (await agent.post('/mcp', hello, { headers: asAnonymous({ accept }) })).headers.get('mcp-session-id')));
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^svc_mcp_[\w-]{43}$/);
  const ada = `svc_run_${Buffer.from(JSON.stringify({ u: 'usr_ada', c: ['user', 'usr_ada'] })).toString('base64url')}.mac`;
  const known = await agent.post('/mcp', hello, { headers: asAnonymous({ accept, [HEADER.runToken]: ada, 'mcp-session-id': ids[0] ?? '' }) });
  // Somebody known has a session too, of their own: it says which client of theirs it is.
  expect(known.headers.get('mcp-session-id')).toMatch(/^svc_mcp_[\w-]{43}$/);
  expect(ids).not.toContain(known.headers.get('mcp-session-id'));
});

describe('over A2A', () => {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { skill: 'paint', args: {} } }] };
  async function rpc(agent: Served, method: string, params: object): Promise<{ result?: Record<string, unknown>; error?: { code: number; message: string } }> {
    const response = await agent.post('/a2a', { jsonrpc: '2.0', id: 1, method, params }, { headers: asAnonymous({ 'a2a-version': '1.0' }) });
    return (await response.json()) as { result?: Record<string, unknown>; error?: { code: number; message: string } }; // JSON-RPC of our own agent
  }

  it('tasks are found by the id one was given and by nothing else: no list, no context, no other id', async () => {
    const agent = await served();
    const begun = await rpc(agent, 'SendMessage', { message: { ...message, contextId: 'shared' }, configuration: { returnImmediately: true } });
    const { id, contextId } = z.looseObject({ id: z.uuid(), contextId: z.string() }).parse(Object(begun.result)['task']);
    expect(contextId).toBe('shared');
    await vi.waitFor(async () => expect(JSON.stringify(await rpc(agent, 'GetTask', { id }))).toContain('TASK_STATE_INPUT_REQUIRED'));
    for (const params of [{}, { contextId: 'shared' }, { pageSize: 100 }]) expect((await rpc(agent, 'ListTasks', params)).result?.['tasks'] ?? []).toEqual([]);
    const listed = await fetch(`${agent.url}/tasks`, { headers: asAnonymous({ 'a2a-version': '1.0' }) });
    expect(await listed.text()).not.toContain(id);
    // A task of the same context is one's own: it neither answers nor ends the other's.
    const other = await rpc(agent, 'SendMessage', { message: { ...message, contextId: 'shared' }, configuration: { returnImmediately: true } });
    expect(JSON.stringify(other)).not.toContain(id);
    const guess = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask'])
      expect((await rpc(agent, method, { id: guess })).error?.message, method).toContain(`there is no task ${guess}`);
    const answered = await rpc(agent, 'SendMessage', { message: { ...message, parts: [{ text: 'red' }], taskId: id } });
    expect(JSON.stringify(answered)).toContain('"colour":"red"');
  });
});

it('over HTTP only the platform reads, answers or ends a run', async () => {
  const agent = await served();
  const refusal = await agent.refusal('/invoke/paint', {}, { headers: asAnonymous() });
  expect(refusal.detail.code).toBe('nobody_to_ask');
  for (const path of ['/runs/run_1/events', '/runs/run_1/cancel', '/answers/qst_1', '/scope-grants/scr_1']) {
    const response = await fetch(agent.url + path, { method: path.endsWith('events') ? 'GET' : 'POST' });
    expect([401, 403], path).toContain(response.status);
  }
});

describe('over AG-UI', () => {
  const run = async (agent: Served, input: object): Promise<string> => {
    const body = { threadId: 'thread', runId: crypto.randomUUID(), messages: [], ...input };
    return (await agent.post('/ag-ui', body, { headers: asAnonymous() })).text();
  };
  const begin = { messages: [{ id: 'm', role: 'user', content: 'paint' }] };
  const interruptIn = (text: string): string => /"id":"(qst_[^"]+)"/.exec(text)?.[1] ?? '';

  it('one thread is not another of the same name', async () => {
    const agent = await served();
    const [ann, ben] = [interruptIn(await run(agent, begin)), interruptIn(await run(agent, begin))];
    expect(ann).not.toBe(ben);
    const answer = (interruptId: string, payload: string) => run(agent, { resume: [{ interruptId, status: 'resolved', payload }] });
    expect(await answer('qst_guess', 'blue')).toContain('interrupt_unknown');
    expect(await answer(ben, 'blue')).toContain('"result":{"colour":"blue"}');
    expect(await answer(ann, 'red')).toContain('"result":{"colour":"red"}');
  });
});
