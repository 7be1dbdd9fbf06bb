import { expect, it } from 'vitest';
import { z } from 'zod';
import { Agent } from '../../authoring/agent.ts';
import { skill } from '../../authoring/skill.ts';
import { serve } from '../../test/serve.ts';

class Routed extends Agent {
  name = 'routed';
  description = 'For tests.';
  version = '1.0.0';
  ran: unknown[] = [];
  query = skill({ description: 'Runs in a region.', input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) }, async (_ctx, { region }) => {
    this.ran.push(region);
    return region;
  });
}

it('an argument that is repeated as a header must be the same in both', async () => {
  const agent = new Routed();
  const served = await serve(agent);
  const call = async (headers: Record<string, string>): Promise<unknown> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'query', arguments: { region: 'eu' }, _meta } };
    const own = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'query' };
    const response = await served.post('/mcp', body, { headers: { ...own, ...headers } });
    return { status: response.status, ...z.looseObject({}).parse(await response.json()) };
  };
  for (const headers of [{}, { 'mcp-param-region': 'us' }, { 'mcp-param-region': '=?base64?ZXU?=' }])
    expect(await call(headers as Record<string, string>)).toMatchObject({ status: 400, error: { code: expect.any(Number) } });
  expect(agent.ran).toEqual([]);
  expect(await call({ 'mcp-param-region': 'eu' })).toMatchObject({ status: 200, result: { structuredContent: { result: 'eu' } } });
  expect(await call({ 'mcp-param-region': '=?base64?ZXU=?=' })).toMatchObject({ status: 200 });
  expect(agent.ran).toEqual(['eu', 'eu']);
});
