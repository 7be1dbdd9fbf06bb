import { expect, it, test } from 'vitest';
import { Agent } from '../../authoring/agent.ts';
import { skill } from '../../authoring/skill.ts';
import { serve } from '../../test/serve.ts';
import { readsOf } from './accept.ts';

class Says extends Agent {
  name = 'says';
  description = 'For tests.';
  version = '1.0.0';
  quick = skill({}, async () => 'hello');
  slow = skill({}, async (ctx) => {
    await ctx.emitProgress('on it');
    // Longer than what is answered at once.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    return 'hello';
  });
}

it.each([
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['Application/JSON; charset=utf-8', 'json'],
  ['application/*;q=0.5, text/html', 'json'],
  ['application/json, text/event-stream', 'both'],
  ['text/event-stream;q=0.9,*/*;q=0.1', 'both'],
  ['text/event-stream', 'events'],
  ['application/json;q=0, text/event-stream', 'events'],
  ['text/html', undefined],
  ['application/json;q=0', undefined],
])('%s takes %s', (accept, reads) => {
  expect(readsOf(accept)).toBe(reads);
});

const REVISIONS = ['2026-07-28', '2025-11-25', '2025-03-26', undefined] as const;

test.each(REVISIONS)('revision %s: whatever a client takes it gets, quick or slow, and no notice where it takes one answer', async (revision) => {
  const agent = await serve(Says);
  const call = async (name: string, accept: string): Promise<Response> => {
    const newest = revision === '2026-07-28';
    const meta = newest
      ? {
          'io.modelcontextprotocol/protocolVersion': revision,
          'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        }
      : {};
    const headers = {
      accept,
      ...(revision && { 'mcp-protocol-version': revision }),
      ...(newest && { 'mcp-method': 'tools/call', 'mcp-name': name }),
    };
    return agent.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta: { ...meta, ...(name === 'slow' && { progressToken: 1 }) } } },
      { headers },
    );
  };
  for (const accept of ['*/*', 'application/json']) {
    for (const name of ['quick', 'slow']) {
      const response = await call(name, accept);
      expect([response.status, response.headers.get('content-type')], `${name} ${accept}`).toEqual([200, expect.stringContaining('application/json')]);
      expect(await response.json()).toMatchObject({ id: 1, result: { structuredContent: { result: 'hello' } } });
    }
  }
  const stream = await call('slow', 'text/event-stream');
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(await stream.text()).toContain('on it');
  const refused = await call('quick', 'text/html');
  expect([refused.status, await refused.json()]).toEqual([
    406,
    { jsonrpc: '2.0', id: null, error: { code: -32000, message: expect.stringContaining('application/json') } },
  ]);
});

test('as curl sends it, without a header of the protocol and with a last slash', async () => {
  const agent = await serve(Says);
  const response = await agent.post('/mcp/', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { headers: { accept: '*/*' } });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ id: 1, result: { tools: [{ name: 'quick' }, { name: 'slow' }] } });
});
