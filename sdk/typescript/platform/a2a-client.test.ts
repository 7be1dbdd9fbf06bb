// What an agent that is not ours may answer, and what the registry says.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AgentCard } from '../../../contract/wire/card.ts';
import { A2AClient } from './a2a-client.ts';
import { ControlPlaneDiscovery } from './discovery.ts';
import { cites } from '../../../test/spec/verifies.ts';

async function listen(answer: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

const sse = (text: string) => (_req: IncomingMessage, res: ServerResponse) => void res.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
const event = (kind: string, payload: object): string => `event: ${kind}\ndata: ${JSON.stringify({ kind, payload })}\n\n`;

describe('A2AClient.call', () => {
  it.each<[string, (req: IncomingMessage, res: ServerResponse) => void, string]>([
    ['a redirect', (_req, res) => void res.writeHead(307, { location: 'http://169.254.169.254/' }).end(), 'redirected'],
    ['no JSON', (_req, res) => void res.end('<html>'), 'bad_answer'],
    ['a refusal in other words', (_req, res) => void res.writeHead(418).end('teapot'), 'bad_answer'],
    ['a stream that breaks off', sse(event('progress', { message: 'x' })), 'unreachable'],
    ['junk for an event', sse('data: nonsense\n\n'), 'bad_answer'],
    ['a failure without a reason', sse(event('failed', {})), 'bad_answer'],
    ['a dropped connection', (req) => void req.socket.destroy(), 'unreachable'],
    ['too many events', sse(event('tick', {}).repeat(10_001)), 'answer_too_large'],
  ])('fails on %s', async (_, answer, code) => {
    await expect(new A2AClient().call(await listen(answer), 'x', {})).rejects.toMatchObject({ code: 'call_failed', calleeCode: code });
  });

  it('posts to /invoke/{skill} of the target URL, below its path, with the grant in svc-grant', cites('client.http'), async () => {
    const seen: unknown[] = [];
    const url = await listen((req, res) => {
      seen.push(req.method, req.url, req.headers['svc-grant'], req.headers.authorization);
      res.end('{"a":1}');
    });
    const answer = await new A2AClient({ bearer: () => 'tok' }).call(`${url}/agents/x/`, 'sk', {}, { grant: 'g.t' });
    expect(answer).toEqual({ result: { a: 1 }, events: [], artifacts: [], grantId: null });
    expect(seen).toEqual(['POST', '/agents/x/invoke/sk', 'g.t', 'Bearer tok']);
    await expect(new A2AClient().call('greeter', 'x', {})).rejects.toMatchObject({ calleeCode: 'agent_not_found' });
    await expect(new A2AClient().call('file:///etc/passwd', 'x', {})).rejects.toMatchObject({ calleeCode: 'agent_not_found' });
  });
});

describe('ControlPlaneDiscovery', () => {
  const card = AgentCard.parse({ name: 'a', description: '', version: '1.0.0', skills: [], capabilities: { maths: true } });
  const listed = { name: 'a', url: 'http://a.test', tags: ['t'], skills: ['s'], description: '' };
  const registry = (seen: string[]) => (req: IncomingMessage, res: ServerResponse) => {
    const url = req.url ?? '';
    seen.push(`${url} ${req.headers.authorization ?? '-'}`);
    const other = { ...listed, name: 'b', skills: [] };
    const answers: Record<string, unknown> = {
      '/v1/public/agents?limit=100&tag=t': { items: [other, listed], next_cursor: null },
      '/v1/public/agents/a': { ...listed, card },
      '/v1/agents/search?limit=25&skill=s&tag=t': [listed],
      '/v1/agents/a': { ...listed, card },
    };
    const answer = answers[url];
    res.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? { detail: {} }));
  };

  it('find_agents(tags, capability, skill, limit = 10) and get_agent(name) query the registry, with a bearer or without', cites('discovery'), async () => {
    const seen: string[] = [];
    const url = await listen(registry(seen));
    const wanted = { tags: ['t'], skill: 's', capability: 'maths' };
    for (const bearer of [undefined, 'tok']) {
      const discovery = new ControlPlaneDiscovery({ url, ...(bearer && { bearer }) });
      expect(await discovery.findAgents(wanted)).toEqual([{ name: 'a', url: 'http://a.test', card }]);
      expect(await discovery.findAgents({ ...wanted, capability: 'none' })).toEqual([]);
      expect((await discovery.getAgent('a')).card.name).toBe('a');
      await expect(discovery.getAgent('none')).rejects.toMatchObject({ calleeCode: 'agent_not_found' });
    }
    expect(seen.filter((line) => line.endsWith(' Bearer tok'))).toHaveLength(6);
  });

  it('gives as many as were asked for, where a search answers fewer', cites('discovery'), async () => {
    const all = Array.from({ length: 40 }, (_, n) => ({ ...listed, name: `a${n}` }));
    const url = await listen((req, res) => {
      const lists: Record<string, unknown> = { '/v1/agents/search?limit=25': all.slice(0, 25), '/v1/agents?limit=1000': all };
      res
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(lists[req.url ?? ''] ?? { ...listed, name: req.url?.split('/').at(-1), card }));
    });
    const discovery = new ControlPlaneDiscovery({ url, bearer: 'tok' });
    for (const limit of [0, 10, 30, 100]) {
      const names = (await discovery.findAgents({ limit })).map(({ name }) => name);
      expect(names).toEqual(all.slice(0, limit).map(({ name }) => name));
    }
  });

  it('gives up after its timeout (10 seconds by default)', cites('discovery'), async () => {
    const url = await listen(() => {});
    await expect(new ControlPlaneDiscovery({ url, timeoutSeconds: 0.05 }).getAgent('a')).rejects.toThrow(/within 0.05 s/);
  });
});
