import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { McpBridge } from './agent.ts';
import { replyIn } from './mcp.ts';

class Sample extends McpBridge {
  override settings = { url: 'https://mcp.example.com/mcp', hosts: ['mcp.example.com'], token: 'MCP_TOKEN', tools: ['add', 'find'] };
}
const secrets = { MCP_TOKEN: 'a-token' };

interface Asked {
  method: string;
  body: { id?: number; method?: string; params?: { cursor?: string; name?: string; arguments?: { a?: number; b?: number } } };
  headers: Record<string, string>;
}

/** An MCP server that keeps a session and answers in events. */
function server(asked: Asked[], answers: Record<string, (one: Asked) => unknown> = {}) {
  return async (_address: unknown, init: { method?: string; headers?: Record<string, string>; body?: string } = {}): Promise<Response> => {
    const one: Asked = { method: init.method ?? '', headers: init.headers ?? {}, body: JSON.parse(init.body ?? '{}') };
    asked.push(one);
    const { id, method = '' } = one.body;
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === 'initialize') {
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'Sums', version: '1' } };
      return new Response(JSON.stringify({ jsonrpc: '2.0', id, result }), { headers: { 'content-type': 'application/json', 'mcp-session-id': 's-1' } });
    }
    const answer = { jsonrpc: '2.0', id, ...Object(answers[method]?.(one)) };
    return new Response(`event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\nevent: message\ndata: ${JSON.stringify(answer)}\n\n`);
  };
}

test('lists the tools of all pages that may be called, in a session that is closed', async (t) => {
  const asked: Asked[] = [];
  const pages = ({ body }: Asked) =>
    body.params?.cursor === 'two'
      ? { result: { tools: [{ name: 'find', description: 'Finds books', inputSchema: { type: 'object' } }] } }
      : { result: { tools: [{ name: 'add', description: 'Adds' }, { name: 'delete_all' }], nextCursor: 'two' } };
  t.mock.method(globalThis, 'fetch', server(asked, { 'tools/list': pages }));
  const agent = testAgent(Sample, { secrets });
  const { result } = await agent.invoke('list_tools', {});
  assert.deepEqual([result.server, result.tools.map(({ name }) => name)], ['Sums', ['add', 'find']]);
  assert.deepEqual(
    asked.map(({ method, body }) => body.method ?? method),
    ['initialize', 'notifications/initialized', 'tools/list', 'tools/list', 'DELETE'],
  );
  assert.ok(asked.slice(1).every(({ headers }) => headers['mcp-session-id'] === 's-1' && headers['authorization'] === 'Bearer a-token'));
  assert.deepEqual(
    (await agent.invoke('list_tools', { words: 'books' })).result.tools.map(({ name }) => name),
    ['find'],
  );
});

test('calls a tool with its arguments', async (t) => {
  const add = ({ body }: Asked) => ({
    result: {
      content: [
        { type: 'text', text: String((body.params?.arguments?.a ?? 0) + (body.params?.arguments?.b ?? 0)) },
        { type: 'image', data: '', mimeType: 'image/png' },
      ],
    },
  });
  t.mock.method(globalThis, 'fetch', server([], { 'tools/call': add }));
  const { result } = await testAgent(Sample, { secrets }).invoke('call_tool', { tool: 'add', arguments: { a: 2, b: 3 } });
  assert.deepEqual(result, { text: '5', structured: null, is_error: false, other: ['image'] });
});

test('refuses a tool that is not allowed before it asks', async (t) => {
  const asked: Asked[] = [];
  t.mock.method(globalThis, 'fetch', server(asked));
  await assert.rejects(testAgent(Sample, { secrets }).invoke('call_tool', { tool: 'delete_all' }), {
    code: 'skill_input_error',
    message: /these may: add, find/,
  });
  await assert.rejects(testAgent(Sample, { secrets }).invoke('call_tool', { tool: 'add', arguments: { a: 'x'.repeat(300_000) } }), {
    code: 'skill_input_error',
  });
  assert.deepEqual(asked, []);
});

test('says what the server refuses, and what is missing', async (t) => {
  const refusing = t.mock.method(globalThis, 'fetch', server([], { 'tools/call': () => ({ error: { code: -32602, message: 'a is missing' } }) }));
  const agent = testAgent(Sample, { secrets });
  await assert.rejects(agent.invoke('call_tool', { tool: 'add' }), { message: /refused tools\/call: a is missing \(-32602\)/ });
  refusing.mock.mockImplementation(async () => new Response('no', { status: 401 }));
  await assert.rejects(agent.invoke('list_tools', {}), { message: /refuses the credential \(401\)/ });
  refusing.mock.mockImplementation(async () => new Response('<html></html>'));
  await assert.rejects(agent.invoke('list_tools', {}), { message: /no reply to initialize/ });
  await assert.rejects(testAgent(Sample).invoke('list_tools', {}), { code: 'secret_missing' });
});

test('finds its own reply among other messages', () => {
  assert.equal(replyIn('data: {"id":1,"result":{}}\n\n', 2), undefined);
  assert.deepEqual(replyIn('[{"id":1,"result":1},{"id":2,"result":2}]', 2), { id: 2, result: 2 });
  assert.equal(replyIn('data: {"id":2,"res', 2), undefined);
});
