// The ingress before a real HTTP server on a Unix socket, as an agent's instance has it.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { AgentCard } from '#contract/wire/card.ts';
import { Unauthorized } from '#core/kernel/errors.ts';
import { cites } from '#test/spec/verifies.ts';
import { createLogger } from '../http/log.ts';
import { TEST_ACTORS } from '../http/test/serve.ts';
import { pooledAgentHttp } from '#drivers/agent-http/pooled.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { createApiServer, type ApiServer } from '../server.ts';
import { createIngress, type Ingress } from './ingress.ts';
import type { IngressRoute } from './route-cache.ts';

const ISSUER = 'http://localhost:8080/idp';
let folder: string;
let socketPath: string;
let agent: Server;
let answer: (req: IncomingMessage, res: ServerResponse) => void;
const pools = createAgentPools({ connections: 8, inFlight: 16, pools: 16, idleMs: 60_000, connectMs: 1_000 });
const agentHttp = pooledAgentHttp(pools);
let ingress: Ingress;
let server: ApiServer;
let url: string;
let resolved: string[] = [];
const routes: Record<string, Partial<IngressRoute> | undefined> = {};

const echo = (req: IncomingMessage, res: ServerResponse): void =>
  void text(req).then(
    (body) => res.setHeader('content-type', 'application/json').end(JSON.stringify({ method: req.method, url: req.url, headers: req.headers, body })),
    () => res.destroy(),
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-ingress-'));
  socketPath = join(folder, 'http.sock');
  agent = createServer((req, res) => answer(req, res));
  const sockets = new WebSocketServer({ noServer: true });
  agent.on('upgrade', (req, socket, head) => {
    if (req.url !== '/ws') return void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno');
    sockets.handleUpgrade(req, socket, head, (ws) =>
      ws.on('message', (data) => ws.send(`${String(data)} ${req.headers.authorization} ${req.headers['x-svc-evil']}`)),
    );
  });
  await new Promise<void>((resolve) => agent.listen(socketPath, resolve));
  ingress = createIngress({
    platform: { config: { baseUrl: 'http://localhost:8080', agentsDomain: 'agents.example:8080' }, issuer: ISSUER },
    resolve: async (name) => {
      resolved.push(name);
      const route = routes[name];
      return (
        route && {
          agentId: 'agt_1',
          agentName: name,
          ownerId: 'usr_ada',
          deployId: 'dep_1',
          version: '1.0.0',
          image: 'sha256:1',
          runtime: 'sha256:2',
          visibility: 'public',
          address: { unix: socketPath },
          apiKey: 'the-key',
          maxRuntimeMs: 50,
          ...route,
        }
      );
    },
    admit: {
      whileAllowed: () => () => undefined,
      authenticate: async ({ authorization }) => {
        const actor = TEST_ACTORS[authorization?.replace('Bearer svc_', '') ?? ''];
        if (!actor) throw new Unauthorized('token_invalid', 'sign in again');
        return actor;
      },
    },
    about: {
      describe: async ({ agentName }) => {
        const mount = { 'with-app': '/app', 'with-root': '' }[agentName];
        const input_schema = { type: 'object', properties: { colour: { type: 'string', examples: ["it's red"] } }, required: ['colour'] };
        const skills = [{ id: 'paint', name: 'paint', description: '</p><script>alert(1)</script>', input_schema, output_schema: {} }];
        return { card: AgentCard.parse({ name: agentName, description: '<img src=x onerror=alert(1)>', version: '1.0.0', skills, runtime: {} }), mount };
      },
    },
    call: {
      beginTask: async ({ actor, grant }) => ({ 'x-svc-run-id': `run of ${actor.kind}`, 'x-svc-run-token': `with ${grant ?? 'no grant'}` }),
      // Sealing receipts needs a database: core/runs/call/call.test.ts.
      callAgent: async ({ route, actor, face, headers, body, signal }) => {
        const path = face.kind === 'tools' ? '/mcp' : face.kind === 'task' ? face.path : `/invoke/${face.skill}`;
        const answered = await agentHttp.send(route, { method: 'POST', path, headers, body, signal, timeoutMs: 250 });
        return { ...answered, receiptId: `of ${actor.kind}` };
      },
    },
    pass: { pools, maxBodyBytes: 1_000_000, marginMs: 200 },
    heartbeatMs: 15,
    report: { log: createLogger('silent') },
  });
  server = createApiServer({
    fronts: [ingress.front],
    upgrades: [ingress.upgrade],
    api: (_req, res) => res.end('the api'),
    stopping: new AbortController(),
    graceMs: 500,
  });
  url = await server.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await server.close();
  await pools.close();
  agent.closeAllConnections();
  agent.close();
  await rm(folder, { recursive: true });
});
afterEach(() => {
  answer = echo;
  resolved = [];
  ingress.routeChanged(undefined);
  for (const name of Object.keys(routes)) delete routes[name];
  routes.open = {};
  routes.private = { visibility: 'unlisted' };
});
answer = echo;
routes.open = {};
routes.private = { visibility: 'unlisted' };

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
  json(): { detail: { code: string; message: string; request_id: string }; headers: Record<string, string>; url: string; method: string; body: string };
}

async function call(host: string, path: string, options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {}): Promise<Answer> {
  const outgoing = httpRequest(url + path, { method: options.method ?? 'GET', headers: { host, ...options.headers } });
  outgoing.end(options.body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const body = await text(response);
  return { status: response.statusCode ?? 0, headers: response.headers, body, json: () => JSON.parse(body) };
}

/** The first bytes of the answer to a WebSocket handshake. */
async function upgraded(host: string, more = ''): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(
    `GET /ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n${more}\r\n`,
  );
  return text(socket);
}

test('an agent is found by its name under both domains, the API by its own; other names are unknown', async () => {
  expect((await call('open.localhost:8080', '/a?b=1')).json().url).toBe('/a?b=1');
  expect((await call('OPEN.agents.example', '/')).status).toBe(200);
  for (const host of ['localhost:8080', 'LOCALHOST.', '127.0.0.1', '[::1]:8080', '10.1.2.3']) expect((await call(host, '/')).body, host).toBe('the api');
  for (const host of ['a.b.localhost', 'open.example', 'agents.example', '-.evil', '-a.localhost', '127.1', '2130706433', 'evil.test:8080', 'localhost.evil']) {
    const refused = await call(host, '/healthz');
    expect([refused.status, refused.json().detail.code], host).toEqual([421, 'unknown_host']);
    expect(await upgraded(host)).toContain('HTTP/1.1 421 ');
  }
  const unknown = await call('nobody.localhost', '/healthz');
  expect([unknown.status, unknown.json().detail.code]).toEqual([404, 'agent_not_found']);
});

const asPerson = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' };
const isPage = (answered: Answer): void => {
  expect(answered.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(answered.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; .*script-src 'none'$/);
  expect(answered.body).not.toMatch(/<script|<img/);
};

test('at the root of an agent a person reads what it is, as text whatever it says; programs get its own answer', async () => {
  routes.painter = {};
  const page = await call('painter.localhost', '/', { headers: asPerson });
  expect(page.status).toBe(200);
  isPage(page);
  expect(page.body).toContain('&#60;script&#62;');
  expect(page.body).toContain('http://painter.agents.example:8080/invoke/paint');
  expect(page.body).toContain(String.raw`svc call painter paint &#39;colour=it&#39;\&#39;&#39;s red&#39;`);
  expect(page.body).toContain('http://painter.agents.example:8080/mcp');
  const head = await call('painter.localhost', '/', { method: 'HEAD', headers: asPerson });
  expect([head.status, head.headers['content-type'], head.body]).toEqual([200, page.headers['content-type'], '']);
  expect((await call('painter.localhost', '/')).json().url).toBe('/');
  expect((await call('painter.localhost', '/', { headers: { ...asPerson, 'sec-fetch-mode': 'cors' } })).json().url).toBe('/');
});

test('an agent with pages of its own shows them', async () => {
  routes['with-app'] = {};
  routes['with-root'] = {};
  const led = await call('with-app.localhost', '/', { headers: asPerson });
  expect([led.status, led.headers.location]).toEqual([302, '/app/']);
  expect((await call('with-root.localhost', '/', { headers: asPerson })).json().url).toBe('/');
});

test('refusals are pages for a person and JSON for programs, the agent’s own included', async () => {
  answer = (_req, res) =>
    void res.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ detail: { message: 'no such <img src=x onerror=1> route' } }));
  for (const [host, path, status] of [
    ['open.localhost', '/nothing', 404],
    ['a.b.localhost', '/', 421],
    ['unknown.localhost', '/healthz', 404],
  ] as const) {
    const page = await call(host, path, { headers: asPerson });
    expect(page.status, host).toBe(status);
    isPage(page);
    const asked = await call(host, path);
    expect([asked.status, asked.headers['content-type']]).toEqual([status, expect.stringContaining('application/json')]);
  }
  answer = (_req, res) => void res.writeHead(500, { 'content-type': 'application/json' }).end('x'.repeat(200_000));
  const broken = await call('open.localhost', '/x', { headers: asPerson });
  expect([broken.status, broken.body]).toEqual([500, expect.stringContaining('The agent answered 500.')]);
});

test('what only the platform may say is taken out and said by the platform', async () => {
  const { headers } = (
    await call('open.localhost', '/invoke/x', {
      method: 'POST',
      body: '{}',
      headers: {
        'x-svc-user': 'root',
        'X-SVC-Caller-Authorization': 'Bearer stolen',
        forwarded: 'for=1.2.3.4',
        'x-forwarded-for': '1.2.3.4',
        'x-forwarded-host': 'evil',
        'x-real-ip': '1.2.3.4',
        'proxy-authorization': 'Basic x',
        connection: 'keep-alive, x-hop',
        'x-hop': '1',
        te: 'trailers',
        cookie: 'a=1; __Host-svc_session=secret; svc_session=secret; b=2; __HOST-svc_cli_confirm=x',
        'x-own': 'kept',
        'x-request-id': 'caller-id-1',
      },
    })
  ).json();
  expect(headers).toMatchObject({
    'x-own': 'kept',
    cookie: 'a=1; b=2',
    authorization: 'Bearer the-key',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': 'open.localhost',
    'x-forwarded-proto': 'http',
    'x-request-id': 'caller-id-1',
  });
  for (const name of ['x-svc-user', 'x-svc-caller-authorization', 'forwarded', 'x-real-ip', 'proxy-authorization', 'x-hop', 'te'])
    expect(headers).not.toHaveProperty(name);
  expect(JSON.stringify(headers)).not.toMatch(/secret|stolen|evil|1\.2\.3\.4/);
});

test('what an agent may not say of the platform or its neighbours does not come back', async () => {
  answer = (_req, res) =>
    res.writeHead(200, { 'x-svc-receipt-id': 'rcp_forged', 'x-svc-run-id': 'run_1', 'set-cookie': ['a=1; Domain=localhost; Path=/', 'b=2'] }).end('x');
  const { headers } = await call('open.localhost', '/');
  expect(headers).toMatchObject({ 'x-svc-run-id': 'run_1', 'set-cookie': ['a=1; Path=/', 'b=2'] });
  expect(headers).not.toHaveProperty('x-svc-receipt-id');
});

test("a public agent gets its caller's own token beside the key, but never one of ours", async () => {
  const foreign = await call('open.localhost', '/', { headers: { authorization: 'Bearer theirs' } });
  expect(foreign.json().headers).toMatchObject({ authorization: 'Bearer the-key', 'x-svc-caller-authorization': 'Bearer theirs' });
  const ours = await call('open.localhost', '/', { headers: { authorization: 'Bearer svc_ben' } });
  expect(ours.status).toBe(200);
  expect(ours.body).not.toContain('svc_ben');
  expect((await call('open.localhost', '/', { headers: { authorization: 'Bearer svc_forged' } })).status).toBe(401);
  const jwt = ['e30', Buffer.from(JSON.stringify({ iss: ISSUER })).toString('base64url'), 'c2ln'].join('.');
  expect((await call('open.localhost', '/', { headers: { authorization: `bearer ${jwt}` } })).status).toBe(401);
});

test('an unlisted agent and a name that no agent has answer alike to whom it is not theirs to see', async () => {
  const answers = async (name: string, path: string, headers: Record<string, string>, method: string) => {
    const answered = await call(`${name}.localhost`, path, { headers: { ...headers, 'x-request-id': 'request-1' }, method });
    const { date: _, ...rest } = answered.headers;
    return [answered.status, JSON.stringify(rest).replaceAll(name, '*'), answered.body.replaceAll(name, '*')];
  };
  const credentials = [{}, { authorization: 'Bearer svc_ben' }, { authorization: 'Bearer svc_forged' }, { authorization: 'Bearer theirs' }];
  const ways = [['/healthz'], ['/.well-known/agent-card'], ['/.well-known/agent-card.json'], ['/'], ['/mcp', 'POST'], ['/invoke/x', 'POST'], ['/runs/1']];
  for (const headers of [...credentials, { accept: 'text/html' }, { cookie: '__Host-svc_agent=x' }]) {
    for (const [path = '', method = 'GET'] of ways) {
      const unlisted = await answers('private', path, headers, method);
      // As long as the names are: Content-Length is the same.
      expect(unlisted, `${method} ${path} ${JSON.stringify(headers)}`).toEqual(await answers('unknown', path, headers, method));
      expect([401, 404]).toContain(unlisted[0]);
    }
  }
});

test('a token of one agent opens no other, and with scopes only what names a skill', async () => {
  const refusal = async (host: string, path: string, token: string, method = 'GET') => {
    const answer = await call(host, path, { method, headers: { authorization: `Bearer svc_${token}` } });
    return [answer.status, answer.status < 400 ? undefined : (answer.json() as { detail: { code: string } }).detail.code];
  };
  for (const host of ['open.localhost', 'private.localhost']) {
    expect(await refusal(host, '/files/x', 'agent')).toEqual([200, undefined]);
    expect(await refusal(host, '/files/x', 'stranger')).toEqual([404, 'agent_not_found']);
    for (const [method, path] of [
      ['GET', '/files/x'],
      ['GET', '/invoke/greet'],
      ['POST', '/a2a'],
      ['POST', '/ag-ui'],
      ['GET', '/v1/tasks/1'],
    ] as const)
      expect(await refusal(host, path, 'scoped', method), path).toEqual([403, 'skill_not_allowed']);
    expect(await refusal(host, '/invoke/greet', 'scoped', 'POST')).toEqual([200, undefined]);
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { host, authorization: 'Bearer svc_scoped' } });
    const [, response] = await once(socket, 'unexpected-response');
    socket.on('error', () => undefined).terminate();
    expect(response.statusCode).toBe(403);
  }
});

test("an unlisted agent is its owner's, health and card too; scope grants are only the platform's", async () => {
  const status = async (path: string, token?: string) =>
    (await call('private.localhost', path, { headers: token ? { authorization: `Bearer ${token}` } : {} })).status;
  expect(await status('/invoke/x')).toBe(401);
  expect(await status('/invoke/x', 'theirs')).toBe(401);
  expect(await status('/invoke/x', 'svc_ben')).toBe(404);
  expect(await status('/invoke/x', 'svc_ada')).toBe(200);
  expect(await status('/invoke/x', 'svc_agent')).toBe(200);
  for (const path of ['/healthz', '/healthz/', '/.well-known/agent-card', '/.well-known//agent-card']) {
    expect(await status(path)).toBe(404);
    expect((await call('private.localhost', path)).json()).toMatchObject({ detail: { message: expect.stringContaining('send an access token') } });
    expect(await status(path, 'svc_ben')).toBe(404);
    expect(await status(path, 'svc_ada')).toBe(200);
    expect((await call('open.localhost', path)).status).toBe(200);
  }
  for (const path of ['/.well-known/../invoke/x', '/.well-known/%2e%2e/invoke/x', '/healthz%2f..', '/.well-known/..%5cinvoke'])
    expect(await status(path), path).toBe(401);
  for (const path of [
    '/scope-grants/1',
    '//scope-grants/1',
    '/%73cope-grants/1',
    '/a/../scope-grants/1',
    '/./scope-grants',
    '/Scope-Grants/1',
    '/\\scope-grants/1',
  ]) {
    expect((await call('open.localhost', path, { method: 'POST' })).status, path).toBe(404);
  }
});

test('routes are asked for once, by many callers at once too, until they change', async () => {
  await Promise.all(Array.from({ length: 10 }, () => call('open.localhost', '/')));
  await call('open.localhost', '/');
  expect(resolved).toEqual(['open']);
  routes.open = undefined;
  ingress.routeChanged('open');
  expect((await call('open.localhost', '/healthz')).status).toBe(404);
});

test('bodies pass; beyond the ceiling is 413, said or unsaid', async () => {
  const body = Buffer.alloc(900_000, 97);
  expect((await call('open.localhost', '/', { method: 'POST', body })).json().body.length).toBe(900_000);
  const chunked = await call('open.localhost', '/', { method: 'PUT', body: 'abc', headers: { 'transfer-encoding': 'chunked' } });
  expect(chunked.json()).toMatchObject({ method: 'PUT', body: 'abc' });
  for (const headers of [{}, { 'transfer-encoding': 'chunked' }] as Record<string, string>[]) {
    const refused = await call('open.localhost', '/', { method: 'POST', body: Buffer.alloc(1_500_000), headers });
    expect([refused.status, refused.json().detail.code]).toEqual([413, 'body_too_large']);
    const args = await call('open.localhost', '/invoke/greet', { method: 'POST', body: Buffer.alloc(9_000_000), headers });
    expect([args.status, args.json().detail.code]).toEqual([413, 'body_too_large']);
  }
});

test('an agent that answers before it has read everything is heard', async () => {
  answer = (_req, res) => res.writeHead(409).end('early');
  for (let i = 0; i < 3; i++) expect((await call('open.localhost', '/', { method: 'POST', body: Buffer.alloc(900_000) })).status).toBe(409);
});

test("an agent's own refusals and errors pass as they are", async () => {
  answer = (_req, res) => res.writeHead(503, { 'retry-after': '9', 'content-type': 'application/json' }).end('{"detail":{"code":"agent_busy"}}');
  const busy = await call('open.localhost', '/');
  expect([busy.status, busy.headers['retry-after'], busy.body]).toEqual([503, '9', '{"detail":{"code":"agent_busy"}}']);
});

test('no agent there: 502; no answer in time: 504; the machine says why it did not wake', cites('errors.timeout'), async () => {
  routes.gone = { address: { unix: join(folder, 'none.sock') } };
  const gone = await call('gone.localhost', '/', { method: 'POST', body: 'x' });
  expect([gone.status, gone.json().detail.code, gone.headers['x-request-id']]).toEqual([502, 'agent_unreachable', gone.json().detail.request_id]);
  answer = () => undefined;
  const late = await call('open.localhost', '/');
  expect([late.status, late.json().detail.code]).toEqual([504, 'agent_timeout']);
  for (const [code, status] of [
    ['wake_queue_full', 503],
    ['unhealthy', 504],
    ['start_failed', 502],
  ] as const) {
    answer = (_req, res) => res.writeHead(502, { 'x-svc-runtime-error': code }).end('host');
    const refused = await call('open.localhost', '/');
    expect([refused.status, refused.headers['retry-after']]).toEqual([status, status === 503 ? '1' : undefined]);
  }
});

test('a connection that breaks before the first byte is tried once more, only where that changes nothing', async () => {
  const seen: string[] = [];
  const flaky = (req: IncomingMessage, res: ServerResponse): void => {
    seen.push(req.method ?? '');
    if (seen.length === 1) req.socket.destroy();
    else res.end('second');
  };
  answer = flaky;
  expect((await call('open.localhost', '/')).body).toBe('second');
  seen.length = 0;
  expect((await call('open.localhost', '/', { method: 'POST', body: 'x' })).status).toBe(502);
  expect(seen).toEqual(['POST']);
});

test('calls beyond the queue get Retry-After', async () => {
  routes.open = { maxRuntimeMs: 5_000 };
  const waiting: ServerResponse[] = [];
  answer = (_req, res) => void waiting.push(res);
  const calls = Array.from({ length: 17 }, () => call('open.localhost', '/'));
  const first = await Promise.race(calls);
  expect([first.status, first.headers['retry-after']]).toEqual([503, '1']);
  answer = (_req, res) => void res.end('ok');
  await expect.poll(() => waiting.length).toBe(8);
  for (const res of waiting) res.end('ok');
  expect((await Promise.all(calls)).filter(({ status }) => status === 200)).toHaveLength(16);
});

test('events pass as they come, and an agent hears when its caller leaves', async () => {
  let left = false;
  let next: () => void = () => undefined;
  answer = (_req, res) => {
    res.on('close', () => (left = true));
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.flushHeaders();
    next = () => res.write('data: 1\n\n');
  };
  const outgoing = httpRequest(url, { headers: { host: 'open.localhost' } }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  expect(response.headers['content-type']).toBe('text/event-stream');
  next();
  const [chunk] = await once(response, 'data');
  expect(String(chunk)).toBe('data: 1\n\n');
  outgoing.destroy();
  await expect.poll(() => left).toBe(true);
});

test('an answer that breaks off breaks off for the caller too', async () => {
  answer = (req, res) => res.write('part', () => req.socket.destroy());
  await expect(call('open.localhost', '/')).rejects.toThrow();
});

test('a page of another origin brings no cookie to an agent, its own or of others, and what the agent says of origins does not count', async () => {
  answer = (req, res) => {
    res.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-credentials', 'true').setHeader('vary', 'Accept');
    echo(req, res);
  };
  const headers = { origin: 'https://app.example', cookie: 'sid=1; theme=dark', 'content-type': 'application/json' };
  const { status, headers: answered, ...rest } = await call('open.agents.example:8080', '/invoke/x', { method: 'POST', headers, body: '{}' });
  expect([status, answered['access-control-allow-origin'], answered['access-control-allow-credentials']]).toEqual([200, 'https://app.example', undefined]);
  expect(answered['vary']).toBe('Accept, origin');
  expect([rest.json().headers['cookie'], rest.json().headers['origin']]).toEqual([undefined, undefined]);
  const own = await call('open.agents.example:8080', '/invoke/x', {
    method: 'POST',
    headers: { ...headers, origin: 'http://open.agents.example:8080' },
    body: '{}',
  });
  expect(own.json().headers).toMatchObject({ cookie: 'sid=1; theme=dark', origin: 'http://open.agents.example:8080' });
});

test('files of an agent come packed on their way, with a tag of their own; what breaks off there breaks off for the caller', async () => {
  const css = '.a { color: red }\n'.repeat(200);
  let sent = css.length;
  answer = (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/css', 'content-length': css.length, etag: '"1"', vary: 'Accept' });
    if (sent === css.length) res.end(css);
    else res.write(css.slice(0, sent), () => res.destroy());
  };
  const get = async (headers: Record<string, string>) => {
    const outgoing = httpRequest(`${url}/app/a.css`, { headers: { host: 'open.localhost', ...headers } }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { headers: response.headers, body: buffer(response) };
  };
  const packed = await get({ 'accept-encoding': 'gzip, br' });
  expect(packed.headers).toMatchObject({ 'content-encoding': 'br', etag: 'W/"1"', vary: 'Accept, accept-encoding' });
  expect(packed.headers['content-length']).toBeUndefined();
  expect(brotliDecompressSync(await packed.body).toString()).toBe(css);
  const plain = await get({ 'accept-encoding': 'gzip, br', cookie: 'a=b', 'sec-fetch-site': 'cross-site' });
  expect(plain.headers).toMatchObject({ 'content-length': String(css.length), etag: '"1"', vary: 'Accept, accept-encoding' });
  expect((await plain.body).toString()).toBe(css);
  sent = 100;
  await expect((await get({ 'accept-encoding': 'br' })).body).rejects.toThrow('aborted');
});

test('a slow reader holds the agent back', async () => {
  let written = 0;
  answer = (_req, res) => {
    const more = (): void => {
      written += 64 * 1024;
      if (res.write(Buffer.alloc(64 * 1024))) setImmediate(more);
      else res.once('drain', more);
    };
    more();
  };
  const outgoing = httpRequest(url, { headers: { host: 'open.localhost' } }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.pause();
  let last = -1;
  await expect.poll(() => [last === written && written > 0, (last = written)][0], { interval: 100 }).toBe(true);
  expect(written).toBeLessThan(30_000_000);
  outgoing.destroy();
});

test('a WebSocket to an unreachable agent is refused with that reason', async () => {
  routes.gone = { address: { unix: join(folder, 'gone.sock') } };
  const status = await new Promise((resolve) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { host: 'gone.localhost' } });
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.on('error', (error) => resolve(error.message));
  });
  expect(status).toBe(502);
});

test('WebSockets pass through the same filters', async () => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { host: 'open.localhost', 'x-svc-evil': '1' } });
  await once(socket, 'open');
  socket.send('hello');
  const [message] = await once(socket, 'message');
  expect(String(message)).toBe('hello Bearer the-key undefined');
  socket.close();
  await once(socket, 'close');
  const refused = async (path: string, host: string) => {
    const one = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers: { host } });
    const [, response] = await once(one, 'unexpected-response').catch(() => [undefined, undefined]);
    one.on('error', () => undefined).terminate();
    return response?.statusCode;
  };
  expect(await refused('/other', 'open.localhost')).toBe(403);
  expect(await refused('/ws', 'private.localhost')).toBe(401);
  expect(await refused('/ws', 'nobody.localhost')).toBe(401);
});

test('an agent has its visitors clear what is its own, never cookies: those of the whole domain would go', async () => {
  for (const [said, passed] of [
    ['"cookies"', undefined],
    ['"cookies", "storage"', '"storage"'],
    [['"cache"', '"clientHints", "cookies"'], '"cache"'],
    ['"*"', '"cache", "storage", "executionContexts", "prefetchCache", "prerenderCache"'],
  ] as const) {
    answer = (_req, res) => res.setHeader('clear-site-data', said).end();
    expect((await call('open.localhost', '/')).headers['clear-site-data'], String(said)).toBe(passed);
  }
});

test('a WebSocket that promises a body takes nothing of the next one', async () => {
  // It knows no WebSockets, and keeps connections.
  const plain = createServer((_req, res) => res.end('a plain answer'));
  const unix = join(folder, 'plain.sock');
  routes.plain = { address: { unix } };
  plain.listen(unix);
  for (const promised of ['Content-Length: 400\r\n', '', ''])
    expect(await upgraded('plain.localhost', promised)).toMatch(/^HTTP\/1\.1 200 [\s\S]*a plain answer/);
  plain.close();
});

test('an agent at a port of the network is reached as one on a socket', async () => {
  const remote = createServer((req, res) => res.end(`${req.url} at a port`));
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  routes.remote = { address: { host: '127.0.0.1', port: (remote.address() as AddressInfo).port, tls: false } };
  expect((await call('remote.localhost', '/a')).body).toBe('/a at a port');
  expect(await upgraded('remote.localhost')).toMatch(/^HTTP\/1\.1 200 [\s\S]*\/ws at a port/);
  remote.closeAllConnections();
  remote.close();
});

test('a request with two hosts belongs to neither', async () => {
  for (const [one = '', other] of [
    ['open.localhost', 'localhost'],
    ['localhost', 'open.localhost'],
    ['open.localhost', 'open.localhost'],
  ]) {
    // prettier-ignore
    expect(await upgraded(one, `host: ${other}\r\n`), one).toContain('HTTP/1.1 400 ');
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET / HTTP/1.1\r\nHost: ${one}\r\nhost: ${other}\r\n\r\n`);
    expect(await text(socket), one).toContain('HTTP/1.1 400 ');
  }
});

test('calls of skills and tools are made by the domain, as the admitted caller, and name their receipt', async () => {
  const called = await call('private.localhost', '/invoke/greet?x=1', { method: 'POST', body: '{"a":1}', headers: { authorization: 'Bearer svc_ada' } });
  expect(called.headers['x-svc-receipt-id']).toBe('of user');
  expect(called.json()).toMatchObject({ url: '/invoke/greet', body: '{"a":1}' });
  expect((await call('open.localhost', '/mcp', { method: 'POST', body: '{}' })).headers['x-svc-receipt-id']).toBe('of anonymous');
  expect((await call('open.localhost', '/invoke/greet')).headers['x-svc-receipt-id']).toBeUndefined();
  expect((await call('open.localhost', '/invoke/../x', { method: 'POST', body: '{}' })).headers['x-svc-receipt-id']).toBeUndefined();
});

test('a call is a call however its path is written, and is no WebSocket', async () => {
  const encoded = await call('open.localhost', '/invoke/%67re%65t?x=1', { method: 'POST', body: '{}' });
  expect(encoded.headers['x-svc-receipt-id']).toBe('of anonymous');
  expect(JSON.parse(encoded.body)).toMatchObject({ url: '/invoke/greet' });
  expect((await call('open.localhost', '/invoke/%zz', { method: 'POST', body: '{}' })).headers['x-svc-receipt-id']).toBeUndefined();
  let reached = 0;
  agent.once('upgrade', () => (reached += 1));
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { host: 'open.localhost', connection: 'Upgrade', upgrade: 'websocket' };
    const request = httpRequest(`${url}/invoke/greet`, { method: 'POST', headers }, (response) => resolve(response.resume().statusCode));
    request.on('error', reject).end();
  });
  expect([status, reached]).toEqual([404, 0]);
});

test('an agent cannot name a receipt, and arguments have a ceiling', async () => {
  answer = (_req, res) => res.setHeader('x-svc-receipt-id', 'rcp_forged').end('{}');
  expect((await call('open.localhost', '/invoke/x', { method: 'POST', body: '{}' })).headers['x-svc-receipt-id']).toBe('of anonymous');
  expect((await call('open.localhost', '/x')).headers['x-svc-receipt-id']).toBeUndefined();
  const tooLong = await call('open.localhost', '/invoke/x', { method: 'POST', body: Buffer.alloc(8 * 1024 * 1024 + 1) });
  expect([tooLong.status, tooLong.json().detail.code]).toEqual([413, 'body_too_large']);
});

test("a task of the agent-to-agent protocol becomes a run; the run's credential is only the agent's", async () => {
  answer = (req, res) => {
    res.setHeader('x-svc-run-token', 'leaked');
    echo(req, res);
  };
  for (const path of ['/tasks', '/v1/tasks/1', '/tasks/1:cancel']) {
    const it = await call('open.localhost', path, { method: 'POST', body: '{}', headers: { 'svc-grant': 'g', 'x-svc-run-token': 'forged' } });
    expect(it.json().headers, path).toMatchObject({ 'x-svc-run-id': 'run of anonymous', 'x-svc-run-token': 'with g', 'svc-grant': 'g' });
    expect(it.headers['x-svc-run-token']).toBeUndefined();
  }
  expect((await call('open.localhost', '/a2a-docs')).json().headers['x-svc-run-id']).toBeUndefined();
});

test('headers of the platform to a running skill cannot be forged from outside', async () => {
  for (const path of ['/answers/qst_1', '/runs/run_1/events', '/RUNS/run_1/cancel', '/%72uns/x', '/./answers/x', '/scope-grants/scr_1']) {
    const it = await call('open.localhost', path, { method: 'POST', body: '{}' });
    expect([it.status, it.json().detail.code], path).toEqual([404, 'agent_not_found']);
  }
  expect((await call('open.localhost', '/app/runs/1')).status).toBe(200);
});

test.each(['/invoke/greet', '/events'])('an event stream whose agent sleeps is kept by comments, whole events between them: %s', async (path) => {
  const opened = Promise.withResolvers<ServerResponse>();
  answer = (req, res) => {
    req.resume();
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: question\ndata: {"n"');
    opened.resolve(res);
  };
  const outgoing = httpRequest(url + path, { method: 'POST', headers: { host: 'open.localhost' } }).end('{}');
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let seen = '';
  response.on('data', (chunk) => (seen += String(chunk)));
  const agentSide = await opened.promise;
  agentSide.write(':1}\n\n');
  await vi.waitFor(() => expect(seen).toMatch(/^event: question\ndata: \{"n":1\}\n\n(?::\n){3}/));
  agentSide.end('event: result\ndata: 1\n\n');
  await once(response, 'end');
  expect(seen).toMatch(/:\nevent: result\ndata: 1\n\n$/);
});
