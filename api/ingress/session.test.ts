import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeAgentSession } from '#core/identity/agent-session/authorize.ts';
import { endAgentSession } from '#core/identity/agent-session/end.ts';
import { exchangeAgentSession } from '#core/identity/agent-session/exchange.ts';
import { findAgentSession } from '#core/identity/agent-session/find.ts';
import { peekAgentCode } from '#core/identity/agent-session/peek.ts';
import { verifyAgentSession } from '#core/identity/agent-session/verify.ts';
import type { Ctx, UserActor } from '#core/kernel/ctx.ts';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { addAgent, addUser, testCtx, userActor, type TestAgent } from '#test/support/verbs.ts';
import { DomainError } from '#core/kernel/errors.ts';
import { AGENT_SESSION_COOKIE, serveSession, type SessionFace } from './session.ts';
import type { Site } from './host.ts';

let db: Knex;
let ada: Ctx & { actor: UserActor };
let agent: TestAgent;
let other: TestAgent;
let port: number;
/** Custom domains. */
const sites = new Map<string, Site>();
let close: () => Promise<unknown>;

beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
  const user = await addUser(db, 'ada');
  const actor = userActor(user, 'ada');
  ada = { ...testCtx(db, { actor }), actor };
  agent = await addAgent(db, user, { live: true });
  other = await addAgent(db, user, { live: true });
  const nobody: Ctx = { ...ada, actor: { kind: 'anonymous' } };
  const [certified, plain] = ['shop.example.com', 'plain.example.com'];
  sites.set(certified, { agentName: agent.name, host: certified, origin: `https://${certified}` });
  sites.set(plain, { agentName: agent.name, host: plain, origin: `http://${plain}:8080` });
  sites.set('other.example.com', { agentName: other.name, host: 'other.example.com', origin: 'https://other.example.com' });
  const face: SessionFace = {
    baseUrl: 'http://localhost:8080',
    clock: Date.now,
    siteAt: (host) => sites.get(host ?? ''),
    sessions: {
      exchange: (name, code) => exchangeAgentSession(nobody, { agent: name, code, origin: undefined }),
      peek: (agentId, code) => peekAgentCode(db, { agentId, code }, Date.now()),
      end: (agentId, token) => endAgentSession(nobody, { agentId, token }),
    },
  };
  const server = createServer((req, res) => {
    const named = req.headers.host?.startsWith(other.name) ? other : agent;
    const site = sites.get(req.headers.host ?? '') ?? { agentName: named.name, origin: `http://${named.name}.localhost:8080` };
    serveSession(face, { request: req, response: res, agent: named, site }).catch((error: unknown) => {
      res.writeHead(error instanceof DomainError ? 403 : 500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port; // listening on a port
  close = () => new Promise((resolve) => server.close(resolve));
});
afterAll(async () => {
  await close();
  await db.destroy();
});

interface Answer {
  status: number;
  location: string;
  cookies: Record<string, string>;
  setCookies: string[];
  body: string;
}

function send(path: string, more: { method?: string; headers?: Record<string, string>; body?: string; host?: string } = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body = '', host = agent.name } = more;
  const length = body === '' ? {} : { 'content-length': String(body.length), 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: { host: host.includes('.') ? host : `${host}.localhost:8080`, ...length, ...headers } },
      (res) => {
        let text = '';
        res.on('data', (chunk: Buffer) => (text += chunk.toString()));
        res.on('end', () => {
          const setCookies = res.headers['set-cookie'] ?? [];
          const cookies = Object.fromEntries(setCookies.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1, one.indexOf(';'))]));
          resolve({ status: res.statusCode ?? 0, location: res.headers.location ?? '', cookies, setCookies, body: text });
        });
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** What the dashboard's origin does with the browser it was sent. */
async function authorize(location: string): Promise<string> {
  const { searchParams } = new URL(location);
  const { url } = await authorizeAgentSession(ada, { agent: searchParams.get('agent') ?? '', next: searchParams.get('next') ?? '' });
  return `${new URL(url).pathname}${new URL(url).search}`;
}

const cookie = (answer: Answer): Record<string, string> => ({
  cookie: Object.entries(answer.cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; '),
});

async function signIn(next = '/app/'): Promise<Answer> {
  const begun = await send(`/.svc/session/start?${new URLSearchParams({ next })}`);
  return send(await authorize(begun.location), { headers: cookie(begun) });
}

describe('the hand-off on the agent’s origin', () => {
  it('goes to the dashboard and comes back signed in, where the person wanted to be', async () => {
    const begun = await send('/.svc/session/start?next=/app/orders');
    expect(begun.location).toMatch(/^http:\/\/localhost:8080\/v1\/auth\/agent-session\/authorize\?agent=/);
    const done = await send(await authorize(begun.location), { headers: cookie(begun) });
    expect([done.status, done.location]).toEqual([302, '/app/orders']);
    expect(done.setCookies[0]).toMatch(/^__Host-svc_agent=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=4\d{4}$/);
    const token = done.cookies[AGENT_SESSION_COOKIE] ?? '';
    expect(await findAgentSession(db, { agentId: agent.id, token }, Date.now())).toMatchObject({ user: { user_id: ada.actor.user_id } });
    expect(await findAgentSession(db, { agentId: other.id, token }, Date.now())).toBeUndefined();
  });

  it('takes a code once', async () => {
    const begun = await send('/.svc/session/start?next=/');
    const path = await authorize(begun.location);
    expect((await send(path, { headers: cookie(begun) })).status).toBe(302);
    expect((await send(path, { headers: cookie(begun) })).status).toBe(410);
  });

  it("takes no other agent's code", async () => {
    const begun = await send('/.svc/session/start?next=/', { host: other.name });
    const path = await authorize(begun.location);
    expect((await send(path, { headers: cookie(begun) })).status).toBe(410);
    expect((await send(path, { headers: cookie(begun), host: other.name })).status).toBe(302);
  });

  it('asks before a link that somebody sent signs its reader in', async () => {
    const begun = await send('/.svc/session/start?next=/');
    const path = await authorize(begun.location);
    const victim = await send('/.svc/session/start?next=/');
    for (const headers of [{}, cookie(victim)]) {
      const asked = await send(path, { headers });
      expect([asked.status, asked.cookies]).toEqual([200, {}]);
      expect(asked.body).toContain(ada.actor.email);
    }
    const code = new URLSearchParams(path.split('?')[1]).get('code') ?? '';
    const body = String(new URLSearchParams({ code }));
    const forged = await send('/.svc/session', { method: 'POST', body, headers: { 'sec-fetch-site': 'cross-site' } });
    expect(forged.status).toBe(403);
    expect((await send('/.svc/session', { method: 'POST', body, headers: { origin: 'http://evil.localhost:8080' } })).status).toBe(403);
    const agreed = await send('/.svc/session', { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } });
    expect([agreed.status, agreed.location]).toEqual([302, '/']);
  });

  it.each(['//evil.test', '/\\evil.test', 'https://evil.test/', '/.svc/session/end', '/\tevil', ''])('leads nowhere else: next=%j', async (next) => {
    expect((await signIn(next)).location).toBe('/');
  });

  it('ends on request of its own page alone', async () => {
    const signedIn = await signIn();
    const token = signedIn.cookies[AGENT_SESSION_COOKIE] ?? '';
    const headers = { cookie: `${AGENT_SESSION_COOKIE}=${token}` };
    expect((await send('/.svc/session/end', { method: 'POST', headers: { ...headers, 'sec-fetch-site': 'same-site' } })).status).toBe(403);
    expect((await verifyAgentSession(ada, { agent: agent.name, token })).active).toBe(true);
    const ended = await send('/.svc/session/end', { method: 'POST', headers: { ...headers, 'sec-fetch-site': 'same-origin' } });
    expect(ended.setCookies[0]).toMatch(/^__Host-svc_agent=;.*Max-Age=0/);
    expect(await verifyAgentSession(ada, { agent: agent.name, token })).toEqual({ active: false, user: null, expires_at: null });
  });

  it('goes by the agent’s own address to a custom domain of it, and signs in there', async () => {
    const begun = await send('/.svc/session/start?next=/app/orders', { host: 'shop.example.com' });
    const path = await authorize(begun.location);
    // The platform sends people to the agent's own address alone.
    const passed = await send(path);
    expect([passed.status, passed.cookies]).toEqual([200, {}]);
    const address = /url=(https:[^"]+)"/.exec(passed.body)?.[1]?.replaceAll('&#38;', '&') ?? '';
    expect(address).toMatch(/^https:\/\/shop\.example\.com\/\.svc\/session\?code=/);
    const done = await send(address.slice('https://shop.example.com'.length), { host: 'shop.example.com', headers: cookie(begun) });
    expect([done.status, done.location, done.body]).toEqual([302, '/app/orders', '']);
    const token = done.cookies[AGENT_SESSION_COOKIE] ?? '';
    expect(await findAgentSession(db, { agentId: agent.id, token }, Date.now())).toMatchObject({ user: { user_id: ada.actor.user_id } });
  });

  it.each(['other.example.com', 'plain.example.com', 'unknown.example.com', 'evil.test'])(
    'gives no code to %s, which is no custom domain of it with https',
    async (at) => {
      const next = `/.svc/session/next?${new URLSearchParams({ state: 'x', to: '/', at })}`;
      const { url } = await authorizeAgentSession(ada, { agent: agent.name, next });
      const refused = await send(url.slice(new URL(url).origin.length));
      expect([refused.status, refused.body.includes('url=')]).toEqual([410, false]);
    },
  );

  it('says at a custom domain without https where to sign in instead', async () => {
    const refused = await send('/.svc/session/start?next=/', { host: 'plain.example.com' });
    expect([refused.status, refused.cookies, refused.body]).toEqual([403, {}, expect.stringContaining('own address')]);
  });

  it.each(['/.svc/session/other', '/.svc/session/start/x', '/.svc/session/'])('has nothing at %s', async (path) => {
    expect((await send(path)).status).toBe(404);
  });
});
