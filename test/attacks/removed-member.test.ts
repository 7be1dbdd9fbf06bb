// A member is removed while everything that she opened is still open: a tunnel into a dev box, WebSockets, an
// event stream, a push. Beside her works another member with the same connections, who stays: his end would
// be as wrong as hers going on.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, request as httpRequest, type ClientRequest, type Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { z } from 'zod';
import { createIngress } from '#api/ingress/ingress.ts';
import { agentSessions } from '#api/ingress/agent-sessions.ts';
import { AGENT_SESSION_COOKIE } from '#api/ingress/session.ts';
import type { IngressRoute } from '#api/ingress/route-cache.ts';
import { createLogger } from '#api/http/log.ts';
import { rechecksOf } from '#api/http/recheck.ts';
import { createApiServer, type ApiServer } from '#api/server.ts';
import { TUNNEL_PROTOCOL } from '#contract/identity/dev-box.ts';
import { CLI_CLIENT_ID } from '#contract/identity/oauth.ts';
import { openSshKeys } from '#contract/crypto/openssh.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import type { BoxRuntime, BoxStatus } from '#drivers/box/port.ts';
import { type AccessTokens, createAccessTokens } from '#drivers/idp/access-tokens.ts';
import { startTestIdp, type TestIdp } from '#drivers/idp/test/idp.ts';
import { createWorld, type World } from '../api/world.ts';
import { scimCall } from '../support/scim.ts';

const slug = 'acme';
const NAME = 'payroll';
let world: World;
let idp: TestIdp;
let accessTokens: AccessTokens;
let agentHost: ApiServer;
let agentUrl: string;
let folder: string;
let agentServer: HttpServer;
let box: Server;
const sockets = new Set<Socket>();
const pools = createAgentPools({ connections: 4, inFlight: 8, pools: 4, idleMs: 60_000, connectMs: 1_000 });

interface Person {
  email: string;
  access_token: string;
  refresh_token: string;
  user_id: string;
  member_id: string;
}
let ada: Person;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-removed-'));
  world = await createWorld({ accessTokens: { verify: (...given) => accessTokens.verify(...given) } });
  const { db } = world.ctx;
  idp = await startTestIdp(db);
  accessTokens = createAccessTokens({ issuer: idp.idp.issuer, audience: idp.baseUrl, jwks: idp.idp.jwks });
  ada = await signIn('ada@svc.local');
  await ask(ada, 'POST', '/v1/me/organizations', { slug, name: slug }, false);
  await ask(ada, 'POST', '/v1/agents/from-source', { name: NAME });
  await serveAgent();
  await serveBox();
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  box.close();
  agentServer.closeAllConnections();
  agentServer.close();
  await agentHost.close();
  await pools.close();
  await idp.close();
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** As `svc login` does it, once for each call. */
async function signIn(email: string): Promise<Person> {
  const { access_token, refresh_token } = await idp.tokens(email);
  const me = await ask({ access_token }, 'GET', '/v1/me', undefined, false);
  const { user_id } = z.looseObject({ user_id: z.string() }).parse(me.body);
  return { email, access_token, refresh_token: refresh_token ?? '', user_id, member_id: '' };
}

/** A new account, and its person as an active developer of the organization. */
async function joins(name: string): Promise<Person> {
  const email = `${name}@acme.test`;
  const account = { account_id: newId('usr'), email, name, email_verified: true, password_hash: 'none' };
  await world.ctx.db('idp_accounts').insert(account);
  const person = await signIn(email);
  const organization = await world.ctx.db('organizations').where({ slug }).first('organization_id');
  const member_id = newId('mem');
  const at = new Date();
  const row = { member_id, organization_id: organization?.organization_id ?? '', user_id: person.user_id, email, role: 'developer' as const };
  await world.ctx.db('organization_members').insert({ ...row, state: 'active', source: 'person', created_at: at, joined_at: at, updated_at: at });
  return { ...person, member_id };
}

async function ask(who: Pick<Person, 'access_token'>, method: string, path: string, body?: object, forAcme = true): Promise<{ status: number; body: unknown }> {
  const headers = {
    authorization: `Bearer ${who.access_token}`,
    ...(forAcme && { 'svc-organization': slug }),
    ...(body && { 'content-type': 'application/json' }),
  };
  const response = await fetch(world.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** The organization's agent: private, and it speaks WebSockets. */
async function serveAgent(): Promise<void> {
  const { db } = world.ctx;
  const path = join(folder, 'agent.sock');
  agentServer = createHttpServer((_request, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'));
  const speaking = new WebSocketServer({ server: agentServer });
  speaking.on('connection', (client) => client.on('message', (data: Buffer) => client.send(data)));
  await new Promise<void>((resolve) => agentServer.listen(path, resolve));
  const agent = await db('agents').where({ name: NAME }).first();
  const route = async (): Promise<IngressRoute | undefined> => {
    const now = await db('agents').where({ name: NAME }).first();
    return now && {
      agentId: now.agent_id, agentName: NAME, ownerId: now.owner_id, deployId: 'dep_1', version: '1.0.0', image: 'sha256:1', runtime: 'sha256:2',
      visibility: now.visibility, address: { unix: path }, apiKey: 'the-key', maxRuntimeMs: 600_000,
    }; // prettier-ignore
  };
  expect(agent?.visibility).toBe('unlisted');
  const { vault } = world.ctx.drivers;
  const ingress = createIngress({
    platform: { config: world.ctx.config, issuer: idp.idp.issuer },
    resolve: route,
    sessions: agentSessions({ ...world.ctx, actor: { kind: 'anonymous' } }),
    admit: {
      authenticate: createAuthenticator({ db, vault, clock: Date.now, accessTokens }),
      whileAllowed: (claim, ended) => rechecksOf(db).enter(claim, ended),
    },
    call: { callAgent: () => Promise.reject(new Error('nothing is called here')), beginTask: async () => ({}) },
    pass: { pools },
    report: { log: createLogger('silent') },
  });
  agentHost = createApiServer({
    fronts: [ingress.front],
    upgrades: [ingress.upgrade],
    api: (_, response) => response.end(),
    stopping: new AbortController(),
    graceMs: 500,
  });
  agentUrl = await agentHost.listen(0, '127.0.0.1');
}

/** A dev box that says back what it hears. */
async function serveBox(): Promise<void> {
  box = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).pipe(socket);
  });
  await new Promise<void>((resolve) => box.listen(join(folder, 'ssh.sock'), resolve));
  const status = (box_id: string): BoxStatus => ({ box_id, state: 'running', seeded: true, connections: 0, last_used_at: Date.now() });
  const nothing = async (): Promise<void> => undefined;
  const boxes: BoxRuntime = { open: async ({ box_id }) => status(box_id), list: async () => [], seed: nothing, sleep: nothing, stop: nothing, remove: nothing, address: () => ({ unix: join(folder, 'ssh.sock') }) }; // prettier-ignore
  world.ctx.drivers.boxes = boxes;
}

/** Something that is open: whether it still is. */
interface Open {
  isOpen(): boolean;
  close(): void;
}

async function tunnel(who: Person): Promise<Open> {
  const made = await ask(who, 'POST', `/v1/agents/${NAME}/ssh`, { public_key: openSshKeys(generateKeyPairSync('ed25519')).public });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const { access_token } = z.looseObject({ access_token: z.string() }).parse(made.body);
  return webSocket(`${world.url}/v1/agents/${NAME}/ssh/tunnel`, { authorization: `Bearer ${access_token}` }, TUNNEL_PROTOCOL);
}

async function webSocket(url: string, headers: Record<string, string>, protocol?: string): Promise<Open> {
  const socket = new WebSocket(url.replace('http', 'ws'), protocol === undefined ? [] : [protocol], { headers });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return { isOpen: () => socket.readyState === WebSocket.OPEN, close: () => socket.terminate() };
}

const toAgent = (who: Person): Promise<Open> =>
  webSocket(agentUrl, { host: `${NAME}.localhost:8080`, authorization: `Bearer ${who.access_token}`, 'svc-organization': slug });

/** By the session of a browser at the agent's own address. */
async function visit(who: Person): Promise<Open> {
  const token = newPlatformToken();
  const agent = await world.ctx.db('agents').where({ name: NAME }).first();
  const row = { token_id: newId('tok'), token_hash: hashSecret(token), kind: 'agent_session' as const, user_id: who.user_id, agent_id: agent?.agent_id ?? '' };
  await world.ctx.db('platform_tokens').insert({ ...row, label: 'test', expires_at: new Date(Date.now() + 3_600_000) });
  const host = `${NAME}.localhost:8080`;
  return webSocket(agentUrl, { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin', cookie: `${AGENT_SESSION_COOKIE}=${token}` });
}

/** The agent's own events, through the ingress. */
const agentEvents = (who: Person): Promise<Open> =>
  reading(
    httpRequest(`${agentUrl}/feed`, { headers: { host: `${NAME}.localhost:8080`, authorization: `Bearer ${who.access_token}`, 'svc-organization': slug } }),
  );

const accountEvents = (who: Person): Promise<Open> =>
  reading(httpRequest(`${world.url}/v1/me/events`, { headers: { authorization: `Bearer ${who.access_token}`, 'svc-organization': slug } }));

async function reading(request: ClientRequest): Promise<Open> {
  let isOpen = true;
  const over = (): boolean => (isOpen = false);
  request.on('error', over).end();
  const [response] = await once(request, 'response');
  expect(response.statusCode).toBe(200);
  response.on('close', over).on('error', over).resume();
  return { isOpen: () => isOpen, close: () => request.destroy() };
}

async function gitToken(who: Person): Promise<string> {
  const made = await ask(who, 'POST', `/source/v1/agents/${NAME}/tokens`, { mode: 'write' });
  expect(made.status, JSON.stringify(made.body)).toBeLessThan(300);
  return z.looseObject({ token: z.string() }).parse(made.body).token;
}
const gitAuthorization = (token: string): string => `Basic ${Buffer.from(`svc:${token}`).toString('base64')}`;
async function gitStatus(token: string): Promise<number> {
  const response = await fetch(`${world.url}/git/${NAME}.git/info/refs?service=git-upload-pack`, { headers: { authorization: gitAuthorization(token) } });
  await response.body?.cancel();
  return response.status;
}

/** A push that sends its pack slowly. */
async function push(token: string): Promise<Open> {
  let isOpen = true;
  const headers = { authorization: gitAuthorization(token), 'content-type': 'application/x-git-receive-pack-request', 'transfer-encoding': 'chunked' };
  const request = httpRequest(`${world.url}/git/${NAME}.git/git-receive-pack`, { method: 'POST', headers });
  const over = (): boolean => (isOpen = false);
  request
    .on('error', over)
    .on('close', over)
    .on('response', (response) => response.resume());
  request.flushHeaders();
  // The length of a line, and not yet the line.
  request.write('00a4');
  return { isOpen: () => isOpen, close: () => request.destroy() };
}

async function openAll(who: Person): Promise<Record<string, Open>> {
  return {
    'the tunnel of a dev box': await tunnel(who),
    'a WebSocket to an agent': await toAgent(who),
    "a WebSocket of a browser at the agent's address": await visit(who),
    "an agent's events": await agentEvents(who),
    "the account's events": await accountEvents(who),
    'a push': await push(await gitToken(who)),
  };
}
const stillOpen = (all: Record<string, Open>): string[] => Object.keys(all).filter((name) => all[name]?.isOpen());

async function refresh(who: Person): Promise<number> {
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: who.refresh_token, client_id: CLI_CLIENT_ID });
  return (await fetch(`${idp.idp.issuer}/token`, { method: 'POST', body })).status;
}

/** By SCIM, as an identity provider does it whose person has left. */
async function deprovision(who: Person): Promise<{ status: number }> {
  const made = await ask(ada, 'POST', `/v1/me/organizations/${slug}/scim/tokens`, { name: who.email });
  const { token } = z.looseObject({ token: z.string() }).parse(made.body);
  const user = await scimCall(world.url, { slug, token }, 'POST', '/Users', { userName: who.email, emails: [{ value: who.email, primary: true }] });
  const { id } = z.looseObject({ id: z.string() }).parse(user.body);
  return scimCall(world.url, { slug, token }, 'PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value: { active: false } }] });
}

/** Who is still there was looked at since. */
const anotherLook = (): Promise<void> => rechecksOf(world.ctx.db).look();

for (const [story, end] of [
  ['is removed', (who: Person) => ask(ada, 'DELETE', `/v1/me/organizations/${slug}/members/${who.member_id}`)],
  ['is suspended', (who: Person) => ask(ada, 'PATCH', `/v1/me/organizations/${slug}/members/${who.member_id}`, { state: 'suspended' })],
  ["is suspended by the organization's identity provider", deprovision],
  [
    'becomes an auditor, who connects to nothing',
    (who: Person) => ask(ada, 'PATCH', `/v1/me/organizations/${slug}/members/${who.member_id}`, { role: 'auditor' }),
  ],
] as const)
  test(`a member who ${story}: everything that she has open ends within seconds, and nothing of her colleague's`, async () => {
    const [mia, carl] = [await joins(`mia-${newId('usr').slice(-8)}`), await joins(`carl-${newId('usr').slice(-8)}`)];
    const [hers, his] = [await openAll(mia), await openAll(carl)];
    const [herGit, hisGit] = [await gitToken(mia), await gitToken(carl)];
    const everything = Object.keys(hers);
    expect([stillOpen(hers), stillOpen(his), await gitStatus(herGit), await gitStatus(hisGit)]).toEqual([everything, everything, 200, 200]);

    expect((await end(mia)).status).toBeLessThan(300);

    await expect.poll(() => stillOpen(hers)).toEqual([]);
    expect(await gitStatus(herGit)).toBe(401);
    expect((await ask(mia, 'POST', `/v1/agents/${NAME}/ssh`, { public_key: 'x' })).status).toBe(403);
    await anotherLook();
    expect([stillOpen(his), await gitStatus(hisGit)]).toEqual([everything, 200]);
    for (const one of Object.values(his)) one.close();
  });

test('a stolen sign-in: what `svc logout` ends is ended in the hands of the thief too, and another machine of hers goes on', async () => {
  const laptop = await joins(`mia-${newId('usr').slice(-8)}`);
  const other = { ...(await signIn(laptop.email)), member_id: laptop.member_id };
  const [stolen, own] = [await openAll(laptop), await openAll(other)];
  delete stolen["a WebSocket of a browser at the agent's address"];
  const { length } = Object.keys(own);
  const body = new URLSearchParams({ token: laptop.refresh_token, client_id: CLI_CLIENT_ID });
  expect((await fetch(`${idp.idp.issuer}/token/revocation`, { method: 'POST', body })).status).toBe(200);

  await expect.poll(async () => (await ask(laptop, 'GET', '/v1/me', undefined, false)).status).toBe(401);
  await expect.poll(() => stillOpen(stolen)).toEqual([]);
  expect(await refresh(laptop)).toBe(400);
  await anotherLook();
  expect(stillOpen(own)).toHaveLength(length);
  expect([(await ask(other, 'GET', '/v1/me', undefined, false)).status, await refresh(other)]).toEqual([200, 200]);
  for (const one of Object.values(own)) one.close();
});
