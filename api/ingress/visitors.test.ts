// People at an agent's origin, by the session that the hand-off left in their browser: real database, real
// sockets.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ctx } from '#core/kernel/ctx.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { authorizeAgentSession } from '#core/identity/agent-session/authorize.ts';
import { createPool } from '#db/pool.ts';
import { pooledAgentHttp } from '#drivers/agent-http/pooled.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { LoginError } from '#drivers/idp/port.ts';
import { createVault } from '#drivers/vault/key-file.ts';
import { cites } from '#test/spec/verifies.ts';
import { testDatabase } from '#test/support/servers.ts';
import { addAgent, addUser, testCtx, userActor, type TestAgent } from '#test/support/verbs.ts';
import { createLogger } from '../http/log.ts';
import { createApiServer, type ApiServer } from '../server.ts';
import { agentSessions } from './agent-sessions.ts';
import { createIngress } from './ingress.ts';
import type { IngressRoute } from './route-cache.ts';
import { AGENT_SESSION_COOKIE } from './session.ts';

const pools = createAgentPools({ connections: 4, inFlight: 8, pools: 4, idleMs: 60_000, connectMs: 1_000 });
const routes = new Map<string, IngressRoute>();
let db: Knex;
let ada: Ctx;
let ben: Ctx;
let open: TestAgent;
let neighbour: TestAgent;
let hidden: TestAgent;
let folder: string;
let agentServer: Server;
let server: ApiServer;
let url: string;

beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
  const vault = createVault([randomBytes(32)]);
  const [adasId, bensId] = [await addUser(db, 'ada'), await addUser(db, 'ben')];
  ada = testCtx(db, { actor: userActor(adasId, 'ada'), vault });
  ben = testCtx(db, { actor: userActor(bensId, 'ben'), vault });
  folder = await mkdtemp(join(tmpdir(), 'svc-visitors-'));
  const socketPath = join(folder, 'http.sock');
  agentServer = createServer((req, res) => {
    void text(req).then(() =>
      res.setHeader('set-cookie', ['mine=1', '__Host-svc_agent=planted; Path=/', 'svc_session=planted']).end(JSON.stringify(req.headers)),
    );
  });
  agentServer.on('upgrade', (_req, socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'));
  await new Promise<void>((resolve) => agentServer.listen(socketPath, resolve));
  const serve = async (visibility: 'public' | 'unlisted'): Promise<TestAgent> => {
    const agent = await addAgent(db, adasId, { live: true });
    await db('agents').where({ agent_id: agent.id }).update({ visibility });
    routes.set(agent.name, {
      agentId: agent.id, agentName: agent.name, ownerId: adasId, deployId: 'dep_1', version: '1.0.0', image: 'sha256:1', runtime: 'sha256:2',
      visibility, address: { unix: socketPath }, apiKey: 'the-key', maxRuntimeMs: 1_000,
    }); // prettier-ignore
    return agent;
  };
  [open, neighbour, hidden] = [await serve('public'), await serve('public'), await serve('unlisted')];
  const nobody: Ctx = { ...ada, actor: { kind: 'anonymous' } };
  const agentHttp = pooledAgentHttp(pools);
  const ingress = createIngress({
    platform: { config: ada.config, issuer: 'http://localhost:8080/idp' },
    resolve: async (name) => routes.get(name),
    admit: {
      whileAllowed: () => () => undefined,
      authenticate: createAuthenticator({
        db,
        vault,
        clock: Date.now,
        accessTokens: { verify: () => Promise.reject(new LoginError('invalid', 'no identity provider here')) },
      }),
    },
    sessions: agentSessions(nobody),
    call: {
      beginTask: async () => ({}),
      callAgent: async ({ route, actor, headers, body, signal }) => {
        const answered = await agentHttp.send(route, { method: 'POST', path: '/invoke/x', headers, body, signal, timeoutMs: 5_000 });
        return { ...answered, receiptId: `of ${actor.kind} ${actor.kind === 'user' ? actor.user_id : ''}` };
      },
    },
    pass: { pools },
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
  agentServer.closeAllConnections();
  agentServer.close();
  await rm(folder, { recursive: true });
  await db.destroy();
});

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

async function call(agent: TestAgent, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const outgoing = httpRequest(url + path, { method, headers: { host: `${agent.name}.localhost:8080`, ...headers } });
  outgoing.end(method === 'POST' ? '{}' : undefined);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** As the browser does it; resolves with its cookie. */
async function signIn(who: Ctx, agent: TestAgent): Promise<string> {
  const begun = await call(agent, '/.svc/session/start?next=/app/');
  const target = new URL(begun.headers.location ?? '');
  const handOver = new URL(
    (await authorizeAgentSession(who, { agent: target.searchParams.get('agent') ?? '', next: target.searchParams.get('next') ?? '' })).url,
  );
  const entered = await call(agent, handOver.pathname + handOver.search, { cookie: begun.headers['set-cookie']?.[0]?.split(';')[0] ?? '' });
  expect([entered.status, entered.headers.location]).toEqual([302, '/app/']);
  return entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

const userId = (ctx: Ctx): string => (ctx.actor.kind === 'user' ? ctx.actor.user_id : '');

test('the sign-in pages do not reveal which agents exist', async () => {
  const unknown = { ...hidden, name: `x${hidden.name.slice(1)}` };
  const shown = async (agent: TestAgent, path: string, method: string) => {
    const { status, headers, body } = await call(agent, path, { 'x-request-id': 'request-1' }, method);
    const { date: _, 'set-cookie': cookies, ...rest } = headers;
    return [
      status,
      JSON.stringify(rest)
        .replaceAll(agent.name, '*')
        .replace(/state%3D[\w-]+/, ''),
      cookies?.length,
      body.replaceAll(agent.name, '*'),
    ];
  };
  for (const [path = '', method = 'GET'] of [
    ['/.svc/session/start?next=/x'],
    [`/.svc/session?code=${'a'.repeat(40)}`],
    ['/.svc/session/end'],
    ['/.svc/session/end', 'POST'],
    ['/.svc/session/other'],
  ])
    expect(await shown(hidden, path, method), `${method} ${path}`).toEqual(await shown(unknown, path, method));
});

test('a signed-in visitor is that person to the agent, which gets the session’s view and never the cookie', cites('sessions.cookie'), async () => {
  const cookie = await signIn(ben, open);
  const seen: Record<string, string> = JSON.parse(
    (await call(open, '/app/', { cookie: `a=1; ${cookie}; svc_session=forged`, 'x-svc-user-id': 'usr_root' })).body,
  );
  expect(seen).toMatchObject({ 'x-svc-user-id': userId(ben), 'x-svc-user-email': expect.stringContaining('ben'), authorization: 'Bearer the-key' });
  expect(seen.cookie).toMatch(/^svc_session=svc_ses_tok_[\w-]+\.[\w-]{43}; a=1$/);
  expect(JSON.stringify(seen)).not.toContain(cookie.split('=')[1]);
  const called = await call(open, '/invoke/x', { cookie, 'sec-fetch-site': 'same-origin' }, 'POST');
  expect([called.status, called.headers['x-svc-receipt-id']]).toEqual([200, `of user ${userId(ben)}`]);
});

test('what the agent was given of a session opens no door, neither as bearer nor as cookie', async () => {
  const cookie = await signIn(ben, open);
  const seen: Record<string, string> = JSON.parse((await call(open, '/', { cookie })).body);
  const view = /svc_session=([^;]+)/.exec(seen.cookie ?? '')?.[1] ?? '';
  expect((await call(open, '/', { authorization: `Bearer ${view}` })).status).toBe(401);
  const planted: Record<string, string> = JSON.parse((await call(open, '/', { cookie: `${AGENT_SESSION_COOKIE}=${view}; svc_session=${view}` })).body);
  expect(planted.cookie).toBeUndefined();
  expect(planted['x-svc-user-id']).toBeUndefined();
});

test('the token of one agent’s session is nothing at another agent’s host', async () => {
  const cookie = await signIn(ben, open);
  const token = cookie.slice(cookie.indexOf('=') + 1);
  const elsewhere: Record<string, string> = JSON.parse((await call(neighbour, '/', { cookie })).body);
  expect([elsewhere.cookie, elsewhere['x-svc-user-id']]).toEqual([undefined, undefined]);
  expect((await call(neighbour, '/', { authorization: `Bearer ${token}` })).status).toBe(401);
  expect((await call(hidden, '/', { cookie })).status).toBe(401);
  // A program that exchanged its code itself may send the token to that agent.
  const called = await call(open, '/invoke/x', { authorization: `Bearer ${token}` }, 'POST');
  expect(called.headers['x-svc-receipt-id']).toBe(`of user ${userId(ben)}`);
});

test('what another site’s page makes a browser send changes nothing: POST and WebSocket are 403, whether its origin is a sister host or not', async () => {
  const cookie = await signIn(ben, open);
  const sister = `http://${neighbour.name}.localhost:8080`;
  for (const foreign of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: sister }, { origin: 'null' }]) {
    const refused = await call(open, '/invoke/x', { cookie, ...foreign }, 'POST');
    expect([refused.status, JSON.parse(refused.body).detail.code], JSON.stringify(foreign)).toEqual([
      403,
      'origin' in foreign ? 'origin_not_allowed' : 'cross_site',
    ]);
    const socket = await call(open, '/ws', { cookie, connection: 'Upgrade', upgrade: 'websocket', ...foreign });
    expect(socket.status, JSON.stringify(foreign)).toBe(403);
  }
  const own = { origin: `http://${open.name}.localhost:8080` };
  expect((await call(open, '/invoke/x', { cookie, ...own }, 'POST')).status).toBe(200);
  expect((await call(open, '/app/', { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(200);
});

test('an unlisted agent: a browser is sent to sign in and only its owner gets in; a program gets 401', async () => {
  const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
  const sent = await call(hidden, '/app/orders?x=1', page);
  expect([sent.status, sent.headers.location]).toEqual([302, '/.svc/session/start?next=%2Fapp%2Forders%3Fx%3D1']);
  expect((await call(hidden, '/app/')).status).toBe(401);
  expect((await call(hidden, '/app/', { cookie: await signIn(ada, hidden) })).status).toBe(200);
  // Ben cannot even be handed over.
  await expect(signIn(ben, hidden)).rejects.toMatchObject({ code: 'agent_not_found' });
});

test('a session that was ended is over at once, and its code cannot be used again', async () => {
  const cookie = await signIn(ben, open);
  expect((await call(open, '/', { cookie })).body).toContain('x-svc-user-id');
  const ended = await call(open, '/.svc/session/end', { cookie, 'sec-fetch-site': 'same-origin' }, 'POST');
  expect(ended.headers['set-cookie']?.[0]).toMatch(/^__Host-svc_agent=;/);
  expect((await call(open, '/', { cookie })).body).not.toContain('x-svc-user-id');
});

test('an agent cannot plant a session in its visitor’s browser', async () => {
  expect((await call(open, '/')).headers['set-cookie']).toEqual(['mine=1']);
});

test('what a dev box serves is only its owner’s, also of a public agent, and passed on as it is: no call, no card, no page of ours', async () => {
  const route = routes.get(open.name);
  if (!route) throw new Error('the agent has no route');
  const box = { ...open, name: `${open.name}--dev` };
  routes.set(box.name, { ...route, agentName: box.name, visibility: 'unlisted', apiKey: '', box: true });
  const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
  expect((await call(box, '/')).status).toBe(401);
  expect((await call(box, '/', page)).headers.location).toBe('/.svc/session/start?next=%2F');
  const cookie = await signIn(ada, box);
  expect(JSON.parse((await call(box, '/', { cookie })).body)).toMatchObject({ 'x-svc-user-id': userId(ada) });
  const called = await call(box, '/invoke/x', { cookie, 'sec-fetch-site': 'same-origin' }, 'POST');
  expect([called.status, called.headers['x-svc-receipt-id']]).toEqual([200, undefined]);
  expect((await call(box, '/invoke/x', { cookie, 'sec-fetch-site': 'cross-site' }, 'POST')).status).toBe(403);
  // Ben may call the agent; its box is not his.
  await expect(signIn(ben, box)).rejects.toMatchObject({ code: 'agent_not_found' });
  const bens = await signIn(ben, open);
  expect((await call(box, '/', { authorization: `Bearer ${bens.slice(bens.indexOf('=') + 1)}` })).status).toBe(404);
  expect((await call({ ...hidden, name: `${hidden.name}--dev` }, '/', { cookie })).status).toBe(401);
});
