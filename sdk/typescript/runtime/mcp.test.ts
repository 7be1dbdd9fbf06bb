import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '../authoring/agent.ts';
import { APIKeyAuth } from '../authoring/auth.ts';
import { StaticAuthResolver } from '../authoring/resolvers.ts';
import { skill } from '../authoring/skill.ts';
import { serve } from '../test/serve.ts';
import { cites } from '../../../test/spec/verifies.ts';

let begun = 0;
let cancelled = 0;

class Tools extends Agent {
  name = 'tools';
  description = 'For tests.';
  version = '3.0.0';
  override authModel = APIKeyAuth;
  override authResolver = new StaticAuthResolver({ apiKeyId: 'someone', scopes: ['a'] });
  add = skill(
    { description: 'Adds.', idempotent: true, input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
    async (_ctx, { a, b }) => ({
      sum: a + b,
    }),
  );
  words = skill({ stream: true, output: z.array(z.string()) }, async (ctx) => {
    await ctx.emitProgress('one', { progress: 1, total: 2 });
    await ctx.emitProgress('two', { progress: 2, total: 2 });
    await ctx.emitArtifact({ name: 'list', uri: 'svc:list', mime_type: 'text/plain', size_bytes: 3 });
    return ['x', 'y'];
  });
  files = skill({}, async (ctx) => {
    const files = [
      ['dot.png', 'image/png', 'x'],
      ['note.md', 'text/markdown', '# Note'],
      ['table.bin', 'application/octet-stream', 'x'],
      ['big.png', 'image/png', 'x'.repeat(600_000)],
    ] as const;
    for (const [name, type, data] of files) await ctx.emitArtifact(await ctx.writeArtifact(name, data, type));
  });
  fails = skill({}, async () => {
    throw new Error('internal detail');
  });
  who = skill({ scopes: ['a'] }, async (ctx) => ctx.auth);
  closed = skill({ scopes: ['b'] }, async () => 'never');
  waits = skill({}, async (ctx) => {
    begun += 1;
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
    cancelled += 1;
  });
}

async function connect(mode: 'legacy' | 'auto', resumeMs?: number): Promise<Client> {
  const agent = await serve(Tools, { apiKey: 'key', ...(resumeMs !== undefined && { resumeMs }) });
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(`${agent.url}/mcp`), { requestInit: { headers: { authorization: 'Bearer key' } } }));
  return client;
}

// legacy: the protocol of 2025 with its handshake; auto: the revision of 2026, as both sides agree.
describe.each(['legacy', 'auto'] as const)('MCP, by the official client (%s)', (mode) => {
  it('lists every skill as a tool with its schemas', cites('service.routes'), async () => {
    const { tools } = await (await connect(mode)).listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['add', 'words', 'files', 'fails', 'who', 'closed', 'waits']);
    expect(tools[0]).toMatchObject({
      description: 'Adds.',
      annotations: { idempotentHint: true },
      inputSchema: { type: 'object', required: ['a', 'b'], additionalProperties: false },
      outputSchema: { type: 'object', required: ['sum'] },
    });
  });

  it('answers with structured content that the client checks against the output schema', cites('endpoints.mcp'), async () => {
    const client = await connect(mode);
    await client.listTools();
    expect((await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).structuredContent).toEqual({ sum: 3 });
    const words = await client.callTool({ name: 'words', arguments: {} });
    expect(words.structuredContent).toEqual({ result: ['x', 'y'] });
    expect(words.content).toContainEqual(expect.objectContaining({ type: 'resource_link', uri: 'svc:list' }));
  });

  it('shows what a model can look at in the result itself, and links to the rest', async () => {
    const { content } = await (await connect(mode)).callTool({ name: 'files', arguments: {} });
    const resource = { uri: expect.any(String), mimeType: 'text/markdown', text: '# Note' };
    expect(content.slice(1)).toEqual([
      { type: 'image', mimeType: 'image/png', data: Buffer.from('x').toString('base64') },
      expect.objectContaining({ type: 'resource_link', name: 'dot.png' }),
      { type: 'resource', resource },
      expect.objectContaining({ type: 'resource_link', name: 'table.bin' }),
      expect.objectContaining({ type: 'resource_link', name: 'big.png' }),
    ]);
  });

  it('reports progress', async () => {
    const client = await connect(mode);
    const seen: unknown[] = [];
    await client.callTool({ name: 'words', arguments: {} }, { onprogress: (progress) => void seen.push(progress) });
    expect(seen).toEqual([
      { progress: 1, total: 2, message: 'one' },
      { progress: 2, total: 2, message: 'two' },
    ]);
  });

  it('says what is wrong with the arguments, so that a model can mend them', async () => {
    const result = await (await connect(mode)).callTool({ name: 'add', arguments: { a: 'x' } });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toMatch(/- a: .*- b: /);
  });

  it('refuses by scope, hides internals, and knows its tools', async () => {
    const client = await connect(mode);
    expect((await client.callTool({ name: 'who', arguments: {} })).structuredContent).toEqual({ apiKeyId: 'someone', scopes: ['a'] });
    expect(JSON.stringify(await client.callTool({ name: 'closed', arguments: {} }))).toContain('missing_scopes');
    const failed = JSON.stringify(await client.callTool({ name: 'fails', arguments: {} }));
    expect(failed).toContain('skill_invocation_error');
    expect(failed).not.toContain('internal detail');
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow(/no skill/);
  });

  // At once, and after the call has become one that outlives its connection.
  it.each([undefined, { onprogress: () => undefined }])('stops the skill when the client cancels (%j)', async (more) => {
    const client = await connect(mode);
    const controller = new AbortController();
    const before = { begun, cancelled };
    const call = client.callTool({ name: 'waits', arguments: {} }, { signal: controller.signal, ...more });
    const refused = expect(call).rejects.toThrow();
    await vi.waitFor(() => expect(begun).toBe(before.begun + 1));
    controller.abort();
    await refused;
    await vi.waitFor(() => expect(cancelled).toBe(before.cancelled + 1));
  });

  it('stops the skill when the client goes away and does not come again', async () => {
    const client = await connect(mode, 1);
    const before = { begun, cancelled };
    const refused = expect(client.callTool({ name: 'waits', arguments: {} }, { onprogress: () => undefined })).rejects.toThrow();
    await vi.waitFor(() => expect(begun).toBe(before.begun + 1));
    await client.close();
    await refused;
    await vi.waitFor(() => expect(cancelled).toBe(before.cancelled + 1));
  });

  it('refuses a page of another origin', async () => {
    const agent = await serve(Tools);
    const response = await agent.post('/mcp', {}, { headers: { origin: 'https://evil.example' } });
    expect(response.status).toBe(403);
  });
});
