import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HEADER } from '../../../../contract/wire/headers.ts';
import { Agent } from '../../authoring/agent.ts';
import { skill } from '../../authoring/skill.ts';
import { serve } from '../../test/serve.ts';
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
  begun = 0;
  slow = skill({}, async () => {
    this.begun += 1;
    await new Promise((resolve) => setTimeout(resolve, 1300));
    return 'at last';
  });
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

const EARLIER = ['2025-11-25', '2025-06-18', '2025-03-26', undefined] as const;

/** Headers and envelope, as clients of a revision send them. */
function asSentBy(revision: string | undefined, name: string, args: unknown, more: object = {}) {
  const accept = 'application/json, text/event-stream';
  if (revision === '2026-07-28')
    return {
      headers: { accept, 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': name, 'x-request-id': 'req-1' },
      body: request(name, args, more),
    };
  const headers = { accept, ...(revision && { 'mcp-protocol-version': revision }), 'x-request-id': 'req-1' };
  return { headers, body: request(name, args, { _meta: undefined, ...more }) };
}

// A parameter of the content type is reason enough to be the package's.
const TYPES = ['application/json', 'application/json; charset=utf-8'] as const;

describe.each(['2026-07-28', ...EARLIER])('tools/call of revision %s', (revision) => {
  it.each<[string, unknown]>([
    ['add', { a: 1, b: 2 }],
    ['add', { a: 'x' }],
    ['add', []],
    ['add', undefined],
    ['words', {}],
    ['nothing', {}],
    ['fails', {}],
    ['closed', {}],
    ['nope', {}],
  ])('%s %j: the quick answer is that of the protocol package', async (name, args) => {
    const agent = await serve(Plain);
    const { headers, body } = asSentBy(revision, name, args);
    const [quick, whole] = await Promise.all(
      TYPES.map(async (type) => {
        const response = await agent.post('/mcp', body, { headers: { ...headers, 'content-type': type } });
        const seen = ['content-type', 'cache-control', 'x-accel-buffering'].map((header) => response.headers.get(header));
        return { status: response.status, seen, body: messageIn(await response.text()) };
      }),
    );
    expect(quick).toEqual(whole);
  });

  it('what takes long is begun once, and ends like any other', async () => {
    const plain = new Plain();
    const agent = await serve(plain);
    const { headers, body } = asSentBy(revision, 'slow', {});
    const response = await agent.post('/mcp', body, { headers });
    expect(messageIn(await response.text())).toMatchObject({ id: 7, result: { structuredContent: { result: 'at last' } } });
    expect(plain.begun).toBe(1);
  });

  it('a tool that asks is started once, and answered by the package', async () => {
    const agent = await serve(Plain);
    const { headers, body } = asSentBy(revision, 'asks', {});
    const text = await (await agent.post('/mcp', body, { headers })).text();
    expect(text).toContain('Which?');
    expect(text.match(/qst_[\w-]+/g)?.every((id, _n, [first]) => id === first)).toBe(true);
  });
});

it('what takes long on a revision of 2025 is kept alive meanwhile', async () => {
  const agent = await serve(Plain, { heartbeatMs: 50 });
  const { headers, body } = asSentBy('2025-11-25', 'slow', {});
  const response = await agent.post('/mcp', body, { headers });
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(text).toMatch(/^:/m);
  expect(text).toContain('at last');
});

/** Of JSON, or of a stream of one message; what takes longer has numbers on its stream. */
function messageIn(text: string): unknown {
  const bare = text.replaceAll(/^:.*\n\n/gm, '').replaceAll(/^id: .*\n(?:retry: \d+\n)?(?:data: \n\n)?/gm, '');
  const event = /^event: message\ndata: (.*)\n\n$/m.exec(bare);
  return JSON.parse(event?.[1] ?? text);
}

it.each(['2026-07-28', '2025-11-25'])('%s: where the platform says who asks and gives no run, none is begun', async (revision) => {
  const plain = new Plain();
  const agent = await serve(plain, { apiKey: 'key' });
  const { headers, body } = asSentBy(revision, 'slow', {});
  const response = await agent.post('/mcp', body, { headers: { ...headers, authorization: 'Bearer key', [HEADER.runToken]: 'svc_run_x' } });
  expect(messageIn(await response.text())).toMatchObject({ result: { isError: true } });
  expect(plain.begun).toBe(0);
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

const NEWEST = { 'mcp-protocol-version': '2026-07-28', 'mcp-name': 'add' };
it.each<[string, unknown, Record<string, string>]>([
  ['a name that is not the header', request('add', {}), { ...NEWEST, 'mcp-name': 'other' }],
  ['progress', request('add', {}, { _meta: { ...META, progressToken: 1 } }), NEWEST],
  ['state', request('add', {}, { requestState: 'x' }), NEWEST],
  ['a missing envelope', request('add', {}, { _meta: undefined }), NEWEST],
  ['another version', request('add', {}, { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' } }), NEWEST],
  ['an unreadable client', request('add', {}, { _meta: { ...META, 'io.modelcontextprotocol/clientInfo': { name: 1 } } }), NEWEST],
  ['a notification', { ...request('add', {}), id: undefined }, NEWEST],
  ['a list', [request('add', {})], NEWEST],
  ['progress of 2025', request('add', {}, { _meta: { progressToken: 1 } }), { 'mcp-protocol-version': '2025-11-25' }],
  ['an envelope of 2026 without its header', request('add', {}), {}],
  ['a task of 2025', request('add', {}, { _meta: undefined, task: {} }), { 'mcp-protocol-version': '2025-11-25' }],
  ['a list of 2025', [request('add', {}, { _meta: undefined })], { 'mcp-protocol-version': '2025-03-26' }],
])('%s is left to the package', (_what, body, headers) => {
  expect(plainCall(JSON.parse(JSON.stringify(body)), headers)).toBeUndefined();
});
