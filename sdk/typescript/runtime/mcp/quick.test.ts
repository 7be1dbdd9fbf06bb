import { expect, it } from 'vitest';
import { z } from 'zod';
import { Agent } from '../../authoring/agent.ts';
import { skill } from '../../authoring/skill.ts';
import { serve } from '../../support/serve.ts';
import { plainCall } from './quick.ts';

class Plain extends Agent {
  name = 'plain';
  description = 'For tests.';
  version = '1.0.0';
  add = skill({ input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) }, async (_ctx, { a, b }) => ({ sum: a + b }));
  words = skill({}, async (ctx) => {
    await ctx.emitProgress('unheard');
    await ctx.emitArtifact({ name: 'list', uri: 'https://files.example/list', mime_type: 'text/plain', size_bytes: 3 });
    return 'words';
  });
  nothing = skill({}, async () => undefined);
  fails = skill({}, async () => {
    throw new Error('internal');
  });
  closed = skill({ scopes: ['b'] }, async () => 'never');
  asks = skill({}, async (ctx) => await ctx.ask('Which?', 5));
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const request = (name: string, args: unknown, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args, _meta: META, ...more },
});

// A parameter of the content type is reason enough to be the package's.
const TYPES = ['application/json', 'application/json; charset=utf-8'] as const;

it.each<[string, unknown]>([
  ['add', { a: 1, b: 2 }],
  ['add', { a: 'x' }],
  ['add', []],
  ['words', {}],
  ['nothing', {}],
  ['fails', {}],
  ['closed', {}],
  ['nope', {}],
])('the quick answer to tools/call %s %j is that of the protocol package', async (name, args) => {
  const agent = await serve(Plain);
  const [quick, whole] = await Promise.all(
    TYPES.map(async (type) => {
      const headers = {
        'content-type': type,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
        'x-request-id': 'req-1',
      };
      const response = await agent.post('/mcp', request(name, args), { headers });
      return { status: response.status, type: response.headers.get('content-type'), body: await response.json() };
    }),
  );
  expect(quick).toEqual(whole);
});

it('a tool that asks is begun once, and told by the package', async () => {
  const agent = await serve(Plain);
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'asks' };
  const body = JSON.stringify(await (await agent.post('/mcp', request('asks', {}), { headers })).json());
  expect(body).toContain('Which?');
  expect(body.match(/qst_[\w-]+/g)?.every((id, _n, [first]) => id === first)).toBe(true);
});

it('a body that is not JSON is a parse error', async () => {
  const agent = await serve(Plain);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'add',
  };
  const response = await fetch(`${agent.url}/mcp`, { method: 'POST', body: '{', headers });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
});

it.each<[string, unknown, unknown]>([
  ['a name that is not the header', request('add', {}), 'other'],
  ['progress', request('add', {}, { _meta: { ...META, progressToken: 1 } }), 'add'],
  ['state', request('add', {}, { requestState: 'x' }), 'add'],
  ['a missing envelope', request('add', {}, { _meta: undefined }), 'add'],
  ['another version', request('add', {}, { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' } }), 'add'],
  ['an unreadable client', request('add', {}, { _meta: { ...META, 'io.modelcontextprotocol/clientInfo': { name: 1 } } }), 'add'],
  ['a notification', { ...request('add', {}), id: undefined }, 'add'],
  ['a list', [request('add', {})], 'add'],
])('%s is left to the package', (_what, body, name) => {
  expect(plainCall(JSON.parse(JSON.stringify(body)), name)).toBeUndefined();
});
