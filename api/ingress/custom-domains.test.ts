// Agents at custom domains: by `Host:` and by the name of TLS, on a real database, before a real HTTP server
// on a socket.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as tlsConnect } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { AgentCard } from '#contract/wire/card.ts';
import { hostOwner } from '#contract/wire/host-owner.ts';
import { domainChannel, domainChanged } from '#core/agents/domain/changed.ts';
import { certificateKeyContext } from '#core/agents/domain/resolve-host.ts';
import { startListener, type Listener } from '#core/jobs/wakeups.ts';
import { newId } from '#core/kernel/ids.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { addAgent, addUser, type TestAgent } from '#test/support/verbs.ts';
import { markGuest } from '../http/guest.ts';
import { createLogger } from '../http/log.ts';
import { createApiServer, type ApiServer } from '../server.ts';
import { createCards } from './card.ts';
import { customDomains } from './custom-domains.ts';
import { createIngress } from './ingress.ts';

let t: TestContext;
let folder: string;
let agents: Server;
let server: ApiServer;
let listener: Listener;
let port: number;
let tlsPort: number;
let shop: TestAgent;
let other: TestAgent;
let queries: string[];
let guest = false;
const pools = createAgentPools({ connections: 8, inFlight: 16, pools: 16, idleMs: 60_000, connectMs: 1_000 });

beforeAll(async () => {
  t = await testContext();
  t.ctx.db.on('query', ({ sql }: { sql: string }) => void (sql.includes('agent_domains') && queries.push(sql)));
  queries = [];
  folder = await mkdtemp(join(tmpdir(), 'svc-domains-'));
  const user = await addUser(t.ctx.db, 'ada');
  [shop, other] = [await addAgent(t.ctx.db, user), await addAgent(t.ctx.db, user)];
  const socket = join(folder, 'http.sock');
  agents = createServer((request, response) => response.end(JSON.stringify({ agent: 'itself', headers: request.headers })));
  const sockets = new WebSocketServer({ noServer: true });
  agents.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (ws) => ws.on('message', (data) => ws.send(`echo ${String(data)}`))),
  );
  await new Promise<void>((resolve) => agents.listen(socket, resolve));
  const config = { ...t.ctx.config, domains: { https: true } };
  const domains = customDomains(t.ctx, createLogger('silent'));
  listener = await startListener(t.databaseUrl, [domainChannel]);
  listener.on(domainChannel, domains.changed);
  const card = (name: string) => AgentCard.parse({ name, description: '', version: '1.0.0', skills: [], runtime: {} });
  const ingress = createIngress({
    platform: { config, issuer: 'http://localhost:8080/idp' },
    network: { ownerOf: hostOwner(config), domains },
    resolve: async (agentName) => ({
      agentId: agentName === shop.name ? shop.id : other.id,
      agentName,
      ownerId: user,
      deployId: `dep_${agentName}`,
      version: '1.0.0',
      image: 'sha256:1',
      runtime: 'sha256:2',
      visibility: 'public',
      address: { unix: socket },
      apiKey: 'key',
      maxRuntimeMs: 1_000,
      card: card(agentName),
    }),
    admit: { authenticate: () => Promise.reject(new Error('nobody signs in here')), whileAllowed: () => () => undefined },
    about: { describe: async ({ agentName }) => ({ card: card(agentName), mount: undefined }), cards: createCards(t.ctx, { listGrpc: false }) },
    call: { callAgent: () => Promise.reject(new Error('nothing is called here')), beginTask: async () => ({}) },
    pass: { pools },
    report: { log: createLogger('silent') },
  });
  server = createApiServer({
    fronts: [
      (request) => {
        if (guest) markGuest(request, 'ins_1');
        return false;
      },
      ingress.front,
    ],
    upgrades: [ingress.upgrade],
    contextOf: domains.context,
    api: (_request, response) => response.end('the api'),
    stopping: new AbortController(),
    graceMs: 500,
  });
  port = Number(new URL(await server.listen(0, '127.0.0.1')).port);
  tlsPort = await server.listenTls(0, '127.0.0.1');
});
afterAll(async () => {
  await server.close();
  await listener.close();
  await pools.close();
  agents.close();
  await t.close();
  await rm(folder, { recursive: true, force: true });
});

/** The row as a proof leaves it; its id. */
async function active(agent: TestAgent, hostname: string): Promise<string> {
  const domain_id = newId('dom');
  await t.ctx.db('agent_domains').insert({ domain_id, agent_id: agent.id, hostname, state: 'active', nonce: domain_id, prove_until: new Date() });
  await domainChanged(t.ctx.db, hostname);
  return domain_id;
}

async function certify(domainId: string, hostname: string): Promise<void> {
  const [key, cert] = [join(folder, `${domainId}.key`), join(folder, `${domainId}.pem`)];
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=DNS:${hostname}`];
  await promisify(execFile)('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    cert,
    ...subject,
  ]);
  const certificate_id = newId('crt');
  const key_sealed = await t.ctx.drivers.vault.seal(await readFile(key), certificateKeyContext(certificate_id));
  await t.ctx.db('domain_certificates').where({ domain_id: domainId, state: 'issued' }).update({ state: 'replaced' });
  await t.ctx.db('domain_certificates').insert({ certificate_id, domain_id: domainId, state: 'issued', key_sealed, chain: await readFile(cert, 'utf8') });
  await domainChanged(t.ctx.db, hostname);
}

/** An alert, not a connection that breaks. */
const REFUSED = /ALERT_HANDSHAKE_FAILURE|UNRECOGNIZED_NAME/;

interface Answer {
  status: number | undefined;
  body: string;
  headers: IncomingMessage['headers'];
}

async function get(
  host: string,
  path = '/x',
  { accept = 'application/json', secure = false, name = host }: { accept?: string; secure?: boolean; name?: string } = {},
): Promise<Answer> {
  const at = {
    host: '127.0.0.1',
    path,
    headers: { host, accept, ...(accept.includes('html') && { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }) },
    agent: false,
  } as const;
  const sent = secure ? httpsRequest({ ...at, port: tlsPort, servername: name, rejectUnauthorized: false }) : httpRequest({ ...at, port });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  return { status: response?.statusCode, body: response ? await text(response) : '', headers: response?.headers ?? {} };
}

/** Names of the certificate that a client of this name is shown; the error of a handshake that fails. */
async function shown(servername: string | undefined): Promise<string> {
  return new Promise((resolve) => {
    const socket = tlsConnect({ host: '127.0.0.1', port: tlsPort, rejectUnauthorized: false, ...(servername !== undefined && { servername }) }, () => {
      resolve(socket.getPeerCertificate().subjectaltname ?? 'none');
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  });
}

test('an agent answers at its custom domain once it is active, and no more when it is not', async () => {
  expect(await get('one.example.org')).toMatchObject({ status: 421, body: expect.stringContaining('unknown_host') });
  const id = await active(shop, 'one.example.org');
  await vi.waitFor(async () => expect(await get('one.example.org')).toMatchObject({ status: 200, body: expect.stringContaining('itself') }));
  for (const host of ['ONE.example.org', 'one.example.org.', 'one.example.org:8080']) expect((await get(host)).status, host).toBe(200);
  for (const host of ['two.example.org', 'a.one.example.org', 'example.org', 'one.example.org.evil.test']) expect((await get(host)).status, host).toBe(421);
  await t.ctx.db('agent_domains').where({ domain_id: id }).update({ state: 'suspended' });
  expect((await get('one.example.org')).status, 'remembered').toBe(200);
  await domainChanged(t.ctx.db, 'one.example.org');
  await vi.waitFor(async () => expect((await get('one.example.org')).status).toBe(421));
});

test('a name is looked up once, and the platform’s own names never', async () => {
  await active(shop, 'known.example.org');
  // What this process heard of the change may come after the first answer.
  await vi.waitFor(async () => {
    queries = [];
    expect((await get('known.example.org')).status).toBe(200);
    expect(queries).toEqual([]);
  });
  for (let n = 0; n < 20; n += 1) await get('known.example.org');
  await get('localhost');
  await get(`${shop.name}.localhost:8080`);
  expect(queries).toEqual([]);
  // Of the database, whatever it says: these are the platform's.
  await active(other, `${shop.name}.localhost`);
  await active(other, 'localhost');
  expect((await get('localhost')).body).toBe('the api');
});

test('the page and the card name the address by which they were asked for', async () => {
  await active(shop, 'card.example.org');
  await vi.waitFor(async () => expect((await get('card.example.org')).status).toBe(200));
  const page = await get('card.example.org:1234', '/', { accept: 'text/html' });
  expect(page.body).toContain('http://card.example.org:8080/mcp');
  expect(page.body).not.toContain(`${shop.name}.localhost`);
  const card = await get('card.example.org:1234', '/.well-known/agent-card.json');
  expect(card.body).toContain('http://card.example.org:8080');
  expect(card.body).not.toContain('1234');
  expect((await get(`${shop.name}.localhost:8080`, '/.well-known/agent-card.json')).body).toContain(`http://${shop.name}.localhost:8080`);
});

test('a guest reaches no agent by a custom domain', async () => {
  await active(shop, 'guest.example.org');
  await vi.waitFor(async () => expect((await get('guest.example.org')).status).toBe(200));
  guest = true;
  expect((await get('guest.example.org')).status).toBe(421);
  expect((await get(`${shop.name}.localhost:8080`)).status).toBe(200);
  guest = false;
});

test('what a certificate authority looks for is the platform’s to say, for open orders of that very name alone', async () => {
  const [mine, foreign] = [await active(shop, 'acme.example.org'), await active(other, 'foreign.example.org')];
  const challenge = { type: 'http-01', url: 'http://ca/1', token: 'tok_1', value: 'tok_1.thumb' };
  const order = { domain_id: mine, key_sealed: 'x', challenge: JSON.stringify(challenge), challenge_token: 'tok_1' };
  await t.ctx.db('domain_certificates').insert({ ...order, certificate_id: newId('crt') });
  const path = '/.well-known/acme-challenge/tok_1';
  await vi.waitFor(async () => expect(await get('acme.example.org', path)).toMatchObject({ status: 200, body: 'tok_1.thumb' }));
  for (const host of ['foreign.example.org', `${shop.name}.localhost:8080`]) expect((await get(host, path)).status, host).toBe(404);
  for (const wrong of ['tok_2', '', 'tok_1/x', '..%2f', '%00', 'x'.repeat(500)])
    expect((await get('acme.example.org', `/.well-known/acme-challenge/${wrong}`)).status, wrong).toBe(404);
  // Another domain's order of dns-01 is not read by http.
  await t.ctx
    .db('domain_certificates')
    .insert({ ...order, domain_id: foreign, certificate_id: newId('crt'), challenge: JSON.stringify({ ...challenge, type: 'dns-01' }) });
  expect((await get('foreign.example.org', path)).status).toBe(404);
  await t.ctx.db('domain_certificates').where({ domain_id: mine }).update({ state: 'failed' });
  expect((await get('acme.example.org', path)).status).toBe(404);
});

test('TLS presents each name’s certificate, a new one at once, and fails cleanly for names without one', async () => {
  const id = await active(shop, 'tls.example.org');
  expect(await shown('tls.example.org')).toMatch(REFUSED);
  await certify(id, 'tls.example.org');
  await vi.waitFor(async () => expect(await shown('tls.example.org')).toBe('DNS:tls.example.org'));
  for (const name of ['unknown.example.org', 'localhost', `${shop.name}.localhost`, undefined]) expect(await shown(name), name).toMatch(REFUSED);
  const answer = await get('tls.example.org', '/x', { secure: true });
  expect(JSON.parse(answer.body)).toMatchObject({ headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'tls.example.org' } });
  expect((await get('tls.example.org', '/', { secure: true, accept: 'text/html' })).body).toContain('https://tls.example.org/mcp');
  const before = await serialOf('tls.example.org');
  await certify(id, 'tls.example.org');
  await vi.waitFor(async () => expect(await serialOf('tls.example.org')).not.toBe(before));
});

test('a TLS connection is for its own name: not for another domain, an agent’s own address, or the API', async () => {
  const id = await active(shop, 'front.example.org');
  await certify(id, 'front.example.org');
  await active(other, 'behind.example.org');
  await vi.waitFor(async () => expect(await shown('front.example.org')).toBe('DNS:front.example.org'));
  for (const host of ['behind.example.org', `${other.name}.localhost:8080`, 'localhost', '127.0.0.1'])
    expect((await get(host, '/x', { secure: true, name: 'front.example.org' })).status, host).toBe(421);
});

test('a wildcard’s certificate is for its names, and never for a name that is another agent’s', async () => {
  const wild = await active(shop, '*.wild.example.org');
  await certify(wild, '*.wild.example.org');
  await active(other, 'theirs.wild.example.org');
  await active(shop, 'mine.wild.example.org');
  await vi.waitFor(async () => expect(await shown('a.wild.example.org')).toBe('DNS:*.wild.example.org'));
  expect(await shown('mine.wild.example.org')).toBe('DNS:*.wild.example.org');
  expect(await shown('theirs.wild.example.org')).toMatch(REFUSED);
  expect(await shown('a.b.wild.example.org')).toMatch(REFUSED);
});

test('a key that was sealed for another certificate is not used', async () => {
  const [one, two] = [await active(shop, 'sealed.example.org'), await active(shop, 'swapped.example.org')];
  await certify(one, 'sealed.example.org');
  await certify(two, 'swapped.example.org');
  const row = await t.ctx.db('domain_certificates').where({ domain_id: one }).first('key_sealed');
  await t.ctx
    .db('domain_certificates')
    .where({ domain_id: two })
    .update({ key_sealed: row?.key_sealed ?? '' });
  await domainChanged(t.ctx.db, 'swapped.example.org');
  await vi.waitFor(async () => expect(await shown('swapped.example.org')).toMatch(REFUSED));
});

test('WebSockets open at a custom domain, by TLS too', async () => {
  const id = await active(shop, 'ws.example.org');
  await certify(id, 'ws.example.org');
  await vi.waitFor(async () => expect(await shown('ws.example.org')).toBe('DNS:ws.example.org'));
  for (const url of [`ws://127.0.0.1:${port}/ws`, `wss://127.0.0.1:${tlsPort}/ws`]) {
    const options = { headers: { host: 'ws.example.org' }, servername: 'ws.example.org', rejectUnauthorized: false };
    const ws = new WebSocket(url, options);
    await once(ws, 'open');
    ws.send('hi');
    const [data] = await once(ws, 'message');
    expect(String(data)).toBe('echo hi');
    ws.terminate();
  }
  const refused = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { host: 'nobody.example.org' } });
  const [error] = await once(refused, 'error');
  expect(String(error)).toContain('421');
});

async function serialOf(servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({ host: '127.0.0.1', port: tlsPort, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
