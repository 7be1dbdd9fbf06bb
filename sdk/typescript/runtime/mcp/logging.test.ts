import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HEADER } from '../../../../contract/wire/headers.ts';
import { Agent } from '../../authoring/agent.ts';
import { skill } from '../../authoring/skill.ts';
import { serve, type Served } from '../../test/serve.ts';

const SECRET = 'correct-horse-battery';
const OWN = 'a-key-of-the-caller';

class Writes extends Agent {
  name = 'writes';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 8;
  override capabilities: Record<string, unknown> = { logging: true };
  override consumerSetup = [{ name: 'own', kind: 'secret' as const }];
  work = skill({ description: 'Logs.' }, async (ctx) => {
    ctx.log.debug('details');
    ctx.log.info('at work', { step: 1, key: ctx.secret('KEY'), own: String(ctx.setup['own']) });
    ctx.log.warn('slow');
    throw new Error('internal detail');
  });
}

class Silent extends Writes {
  override capabilities = {};
}

interface Line {
  level: string;
  data: unknown;
}

async function begin(agent: new () => Agent = Writes): Promise<Served> {
  return await serve(agent, { apiKey: 'key', secrets: { KEY: SECRET }, setup: { own: OWN } });
}

async function connect(served: Served, mode: 'legacy' | 'auto', as: string, logLevel?: string): Promise<{ client: Client; lines: Line[] }> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  const lines: Line[] = [];
  client.setNotificationHandler('notifications/message', ({ params: { level, data } }) => void lines.push({ level, data }));
  const token = `svc_run_${Buffer.from(JSON.stringify({ u: null, c: ['user', as] })).toString('base64url')}.mac`;
  const withRunId: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set(HEADER.runId, `run_${crypto.randomUUID()}`);
    // As a later client asks: with the request itself.
    const body = typeof init?.body === 'string' && logLevel !== undefined ? withLevel(init.body, logLevel) : init?.body;
    return fetch(input, { ...init, headers, ...(body !== undefined && { body }) });
  };
  const requestInit = { headers: { authorization: 'Bearer key', [HEADER.runToken]: token } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), { requestInit, fetch: withRunId }));
  return { client, lines };
}

function withLevel(body: string, level: string): string {
  const message = JSON.parse(body);
  if (message.method === 'tools/call') message.params._meta['io.modelcontextprotocol/logLevel'] = level;
  return JSON.stringify(message);
}

describe('the log of a call over MCP', () => {
  it('goes to its own caller from the level that was set, without secrets, and without what the runtime writes', async () => {
    const served = await begin();
    const ann = await connect(served, 'legacy', 'ann');
    const eve = await connect(served, 'legacy', 'eve');
    const none = await connect(served, 'legacy', 'nia');
    await ann.client.setLoggingLevel('info');
    await eve.client.setLoggingLevel('debug');
    await Promise.all([ann, none].map(({ client }) => client.callTool({ name: 'work', arguments: {} })));
    expect(ann.lines).toEqual([
      { level: 'info', data: { message: 'at work', step: 1, key: '***', own: '***' } },
      { level: 'warning', data: { message: 'slow' } },
    ]);
    expect(eve.lines).toEqual([]);
    expect(none.lines).toEqual([]);
    await eve.client.callTool({ name: 'work', arguments: {} });
    expect(eve.lines.map(({ level }) => level)).toEqual(['debug', 'info', 'warning']);
    // The author has all of it.
    expect(served.log.map(({ message }) => message)).toContain('skill failed');
  });

  it('is asked for with each request by clients of 2026', async () => {
    const served = await begin();
    const { client, lines } = await connect(served, 'auto', 'ann', 'warning');
    await client.callTool({ name: 'work', arguments: {} });
    expect(lines).toEqual([{ level: 'warning', data: { message: 'slow' } }]);
    const silent = await connect(served, 'auto', 'ann');
    await silent.client.callTool({ name: 'work', arguments: {} });
    expect(silent.lines).toEqual([]);
  });

  it('stays with the author of an agent that does not offer it', async () => {
    const served = await begin(Silent);
    const { client, lines } = await connect(served, 'auto', 'ann', 'debug');
    await client.callTool({ name: 'work', arguments: {} });
    expect(lines).toEqual([]);
    const earlier = await connect(served, 'legacy', 'ann');
    expect(earlier.client.getServerCapabilities()).not.toHaveProperty('logging');
    await expect(earlier.client.setLoggingLevel('debug')).rejects.toThrow();
  });
});
