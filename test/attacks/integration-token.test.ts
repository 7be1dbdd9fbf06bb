// The token of a link, in the query at an agent's own address: no way in shows it to the agent, a log, a
// metric, a receipt, a table or an error.
import { mkdir } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '#api/http/log.ts';
import { createMetrics } from '#api/http/metrics.ts';
import { createGrpc } from '#api/ingress/grpc.ts';
import { createIngress } from '#api/ingress/ingress.ts';
import { createApiServer, type ApiServer } from '#api/server.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { createIntegrationLink } from '#core/identity/integration-link/create.ts';
import { callAtHost } from '#test/support/calls.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { LoginError } from '#drivers/idp/port.ts';
import { socketOf } from '../support/agent-socket.ts';
import { testContext, type TestContext, type TestUser } from '../support/context.ts';
import { type LiveAgent, liveAgent } from '../support/runs.ts';

let it: TestContext;
let ada: TestUser;
let agent: LiveAgent;
let machine: Server;
let server: ApiServer;
let url: string;
/** All bytes that the agent's machine got, but for bodies. */
const got: string[] = [];
const logs: string[] = [];
const metrics = createMetrics();
const pools = createAgentPools({ connections: 8, inFlight: 16, pools: 16, idleMs: 60_000, connectMs: 1_000 });

beforeAll(async () => {
  it = await testContext();
  const { ctx } = it;
  ada = await it.user('ada');
  agent = await liveAgent(ctx, ada.actor.user_id, { card: { skills: [{ id: 'greet', name: 'greet', input_schema: {}, output_schema: {} }] } });
  machine = createServer((req, res) => {
    got.push(`${req.method} ${req.url} ${JSON.stringify(req.rawHeaders)}`);
    req.resume();
    res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'public, max-age=9', 'Referrer-Policy': 'unsafe-url' }).end('"ok"');
  });
  machine.on('upgrade', (req, socket) => {
    got.push(`${req.method} ${req.url} ${JSON.stringify(req.rawHeaders)}`);
    socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\ncache-control: public\r\n\r\n');
  });
  const path = socketOf(ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  await new Promise<void>((resolve) => machine.listen(path, resolve));
  const accessTokens = { verify: () => Promise.reject(new LoginError('invalid', 'none here')) };
  const ingress = createIngress({
    platform: { config: ctx.config, issuer: 'http://localhost:8080/idp' },
    resolve: (name) => resolveRoute(ctx, name),
    admit: {
      authenticate: createAuthenticator({ db: ctx.db, vault: ctx.drivers.vault, clock: ctx.clock, accessTokens }),
      whileAllowed: () => () => undefined,
    },
    call: { callAgent: (call, requestId) => callAtHost({ ...ctx, actor: call.actor, requestId }, call), beginTask: async () => ({}) },
    pass: { pools },
    report: { log: createLogger('debug', { write: (line: string) => void logs.push(line) }), metrics },
  });
  server = createApiServer({
    fronts: [ingress.front],
    upgrades: [ingress.upgrade],
    grpc: createGrpc,
    api: (_req, res) => res.end('the api'),
    stopping: new AbortController(),
    graceMs: 500,
  });
  url = await server.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await server.close();
  await pools.close();
  machine.closeAllConnections();
  machine.close();
  await it.close();
});

const link = (token_placement: 'header' | 'url_query') => createIntegrationLink(ada, { name: agent.name, link: { label: 'l', token_placement, scopes: null } });

interface Options {
  method?: string;
  headers?: Record<string, string>;
  host?: string;
}
async function send(path: string, { method = 'GET', headers = {}, host = `${agent.name}.localhost:8080` }: Options = {}) {
  const outgoing = request(url + path, { method, headers: { host, ...headers } });
  outgoing.end(method === 'POST' ? '{}' : undefined);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
const isPrivate = ({ headers }: { headers: IncomingMessage['headers'] }) =>
  expect([headers['cache-control'], headers['referrer-policy']]).toEqual(['no-store', 'no-referrer']);

/** Wherever a token could have been left. */
async function traces(): Promise<string> {
  const { rows } = await it.ctx.db.raw<{ rows: { t: string }[] }>("select tablename as t from pg_tables where schemaname = 'public'");
  const tables = await Promise.all(rows.map(({ t }) => it.ctx.db.raw<{ rows: { row: string }[] }>('select x::text as row from ?? x', [t])));
  return JSON.stringify([got, logs, await metrics.registry.metrics(), tables.flatMap(({ rows: all }) => all.map(({ row }) => row))]);
}

test('every way in with the token in the query works, is answered privately, and shows the token nowhere', async () => {
  const { token } = await link('url_query');
  const query = `integration_token=${token}`;
  const json = { 'content-type': 'application/json' };
  const ways: [string, Options][] = [
    [`/page?${query}`, {}],
    [`/page?a=1&${query}&b=2`, { headers: { referer: `http://x/y?${query}&c=3` } }],
    [`/page?integration%5Ftoken=${token}`, { headers: { 'x-original-uri': `/page?${query}`, 'x-request-id': token } }],
    [`/page?%69ntegration_token=${token}&${query}`, { headers: { integration_token: token } }],
    [`/page?a=1;${query}`, {}],
    [`/invoke/greet?${query}`, { method: 'POST', headers: json }],
    [`/mcp?${query}`, { method: 'POST', headers: json }],
    [`/a2a?${query}`, { method: 'POST', headers: json }],
    [`/tasks/1?${query}`, {}],
    [`/page?${query}`, { headers: { authorization: 'Basic eDp5' } }],
  ];
  for (const [path, options] of ways) {
    const before = got.length;
    const answered = await send(path, options);
    expect([path.replace(token, 'TOKEN'), answered.status, got.length]).toEqual([path.replace(token, 'TOKEN'), 200, before + 1]);
    isPrivate(answered);
    expect(JSON.stringify(answered)).not.toContain(token);
  }
  expect(got.some((line) => line.startsWith('GET /page?a=1&b=2 ') && line.includes('"http://x/y?c=3"'))).toBe(true);
  expect(got.at(-1)).toContain('"x-svc-caller-authorization","Basic eDp5"');
  await expect.poll(async () => (await it.ctx.db('receipts').where({ skill: 'greet' })).length).toBe(1);
  expect(await traces()).not.toContain(token);
});

test('a page opened with it sends it no further: Referer alone is cleaned too', async () => {
  const { token } = await link('url_query');
  await send('/style.css', { headers: { authorization: `Bearer ${token}`, referer: `http://x/?integration_token=${token}` } });
  expect(got.at(-1)).toContain('"http://x/"');
  expect(await traces()).not.toContain(token);
});

test('what is refused is answered privately and repeats nothing', async () => {
  const [{ token }, header] = [await link('url_query'), await link('header')];
  const other = await liveAgent(it.ctx, ada.actor.user_id, { visibility: 'public' });
  const refused = [
    await send(`/page?integration_token=${header.token}`),
    await send('/page?integration_token='),
    await send(`/page?integration_token=${token}`, { host: `${other.name}.localhost:8080` }),
    await send(`/page?integration_token=${token}`, { host: 'nobody.localhost:8080' }),
    await send(`/runs/1?integration_token=${token}`),
    await send(`/page?integration_token=${token}`, { host: 'a.b.localhost' }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([401, 401, 404, 404, 404, 421]);
  for (const one of refused) {
    isPrivate(one);
    expect(JSON.stringify(one)).not.toMatch(/svc_/);
  }
  // As bearer both hold.
  for (const { token: each } of [header, { token }]) expect((await send('/page', { headers: { authorization: `Bearer ${each}` } })).status).toBe(200);
  const left = await traces();
  for (const each of [token, header.token]) expect(left).not.toContain(each);
});

test('a WebSocket and gRPC: the same', async () => {
  const { token } = await link('url_query');
  const shake = async (query: string): Promise<string> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const head = `GET /ws?${query} HTTP/1.1\r\nHost: ${agent.name}.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
    socket.write(`${head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n\r\n`);
    return text(socket);
  };
  const opened = await shake(`a=1&integration_token=${token}`);
  expect(opened).toMatch(/^HTTP\/1.1 101 /);
  expect(opened).toMatch(/cache-control: no-store\r\n/);
  expect(got.at(-1)).toMatch(/^GET \/ws\?a=1 /);
  expect(await shake(`integration_token=${token}x`)).toMatch(/^HTTP\/1.1 401 [\s\S]*referrer-policy: no-referrer/);
  const client = new Client(new URL(url).host, credentials.createInsecure(), { 'grpc.default_authority': `${agent.name}.localhost:8080` });
  const metadata = new Metadata();
  metadata.set('integration_token', token);
  const same = (value: Buffer): Buffer => value;
  for (const path of [`/lf.a2a.v1.A2AService/GetTask?integration_token=${token}`, '/lf.a2a.v1.A2AService/GetTask'])
    await new Promise<void>((resolve) => client.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, () => resolve()));
  client.close();
  expect(await traces()).not.toContain(token);
});
