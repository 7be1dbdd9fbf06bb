// A guest that controls its whole machine and sends anything to its egress proxy: which requests reach the
// platform, and as whom.
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createServer as createTcp, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGuestListener, type GuestListener } from '#api/guests.ts';
import { guestOf } from '#api/http/guest.ts';
import { createLogger } from '#api/http/log.ts';
import { createIngress } from '#api/ingress/ingress.ts';
import { createApiServer, type ApiServer } from '#api/server.ts';
import { hostOwner, isForAgents } from '#contract/wire/host-owner.ts';
import { Unauthorized } from '#core/kernel/errors.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import type { decide } from '#host/egress/policy.ts';
import { createEgressProxy } from '#host/egress/proxy.ts';
import { sandboxEgress } from '#host/sandbox/egress.ts';

interface Seen {
  by: 'api' | 'agent';
  what: string;
  guest: string | undefined;
}

const pools = createAgentPools({ connections: 1, inFlight: 1, pools: 1, idleMs: 1_000, connectMs: 1_000 });
const wide = { allowHosts: ['*.localhost', 'localhost', '127.0.0.1', '127.1', '*.agents.test', 'plane.test'], allowInternalServices: [] };
let folder: string;
let api: ApiServer;
let listener: GuestListener;
let port: number;
let seen: Seen[] = [];
let fromOutside = 0;
let ownerOf: ReturnType<typeof hostOwner>;
const machine = createTcp();
const proxies: { close(): void }[] = [];
let configuration: Parameters<typeof decide>[1];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-guest-'));
  // The port is part of the names, and known only once it listens.
  api = createApiServer({
    fronts: [(request, response) => ingress.front(request, response)],
    api: (request, response) => {
      seen.push({ by: 'api', what: `${request.method} ${request.url}`, guest: guestOf(request) });
      response.end('the api');
    },
    stopping: new AbortController(),
    graceMs: 200,
  });
  port = Number(new URL(await api.listen(0, '127.0.0.1')).port);
  api.server.on('connection', () => fromOutside++);
  const config = { baseUrl: `http://localhost:${port}`, agentsDomain: `localhost:${port}` };
  ownerOf = hostOwner(config);
  const ingress = createIngress({
    platform: { config, issuer: `${config.baseUrl}/idp` },
    resolve: async (name) => {
      seen.push({ by: 'agent', what: name, guest: undefined });
      return undefined;
    },
    admit: { authenticate: () => Promise.reject(new Unauthorized('token_invalid', 'nobody signs in here')), whileAllowed: () => () => undefined },
    call: { callAgent: () => Promise.reject(new Error('no agent is called here')), beginTask: async () => ({}) },
    pass: { pools },
    report: { log: createLogger('silent') },
  });
  listener = createGuestListener({ ownerOf, handle: api.handle, budget: { points: 1_000_000, seconds: 1 } });
  const guestSocket = join(folder, 'guests.sock');
  await listener.listen(guestSocket);
  configuration = { controlPlane: config.baseUrl, agentsDomain: config.agentsDomain, guestSocket, services: {} };
  machine.on('connection', (socket) => {
    const proxy = createEgressProxy({ policy: wide, configuration, guest: 'ins_mallory', onRefusal: () => undefined, connectTimeoutMs: 2_000 });
    proxies.push(proxy);
    socket.on('close', () => proxy.close());
    proxy.handle(socket);
  });
  await new Promise<void>((resolve) => machine.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  for (const proxy of proxies) proxy.close();
  machine.close();
  await Promise.all([api.close(), listener.close(), pools.close()]);
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  seen = [];
  fromOutside = 0;
});

/** All that comes back for these bytes. */
function speak(bytes: string, enough = /never/): Promise<string> {
  const address = machine.address();
  return new Promise((resolve) => {
    const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    let got = '';
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1');
      if (enough.test(got)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(got));
  });
}

const inside = (request: string, host: string): string => `${request} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
const tunnelled = (authority: string, request: string, host: string): Promise<string> =>
  speak(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n${inside(request, host)}`);

test('sign-in, documentation and dashboards are not reached, by whatever name and form', async () => {
  const names = ['localhost', 'LOCALHOST.', 'a.b.localhost', 'shop.localhost', '127.0.0.1', '127.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f000001'];
  for (const name of names) {
    const at = `${name}:${port}`;
    for (const path of ['/idp/auth', '/idp/token', '/docs', '/', '/v1/auth/oidc/login', '/v1/agents', '/.svc/session/start', '/run/v1/../../idp/token']) {
      for (const host of [at, `localhost:${port}`, 'x']) {
        const answer = await tunnelled(at, `POST ${path}`, host);
        expect(answer, `${at} ${path} ${host}`).not.toContain('the api');
      }
      expect(await speak(inside(`GET http://${at}${path}`, `localhost:${port}`))).not.toContain('the api');
    }
  }
  expect(seen.filter(({ by }) => by === 'api')).toEqual([]);
  expect(fromOutside).toBe(0);
});

test('the run context is reached as a guest, despite headers about another origin', async () => {
  const lies = 'X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\nX-Real-IP: 127.0.0.1\r\nX-Svc-Guest: ins_victim\r\n';
  for (const form of ['GET http://localhost:PORT/run/v1/x', 'CONNECT'].map((text) => text.replace('PORT', String(port)))) {
    const request = `${form === 'CONNECT' ? 'GET /run/v1/x' : form} HTTP/1.1\r\nHost: localhost:${port}\r\n${lies}Connection: close\r\n\r\n`;
    expect(await speak(form === 'CONNECT' ? `CONNECT localhost:${port} HTTP/1.1\r\n\r\n${request}` : request)).toContain('the api');
  }
  const one = { by: 'api', what: 'GET /run/v1/x', guest: 'ins_mallory' };
  expect(seen).toEqual([one, one]);
  expect(fromOutside).toBe(0);
});

test('the egress proxy and the ingress agree on the owner of every host name', async () => {
  const label = fc.stringMatching(/^[a-zA-Z0-9_.-]{0,12}$/);
  const name = fc.oneof(
    fc.tuple(label, fc.constantFrom('.localhost', 'localhost', '.LOCALHOST.', '.agents.test', '')).map((parts) => parts.join('')),
    fc.webAuthority({ withIPv4Extended: true, withIPv6: true }),
    fc.string({ unit: fc.integer({ min: 33, max: 255 }).map((code) => String.fromCharCode(code)) }),
  );
  const path = fc.constantFrom('/run/v1/x', '/v1/me', '/idp/token', '/docs', '/run/v1/%2e%2e/%2e%2e/docs');
  await fc.assert(
    fc.asyncProperty(name, name, path, fc.boolean(), async (asked, said, to, withPort) => {
      seen = [];
      const authority = withPort ? `${asked}:${port}` : asked;
      await tunnelled(authority, `GET ${to}`, said);
      await speak(inside(`GET http://${authority}${to}`, said));
      for (const one of seen) {
        const owner = ownerOf(authority);
        expect(owner).toEqual(one.by === 'api' ? { kind: 'api' } : { kind: 'agent', name: one.what });
        if (one.by === 'api') expect([one.guest, isForAgents('GET', one.what.slice(4))]).toEqual(['ins_mallory', true]);
      }
      if (ownerOf(authority).kind === 'unknown') expect(seen).toEqual([]);
      if (ownerOf(authority).kind === 'agent' && withPort) expect(seen.length).toBeGreaterThan(0);
    }),
    { numRuns: 150 },
  );
  expect(fromOutside).toBe(0);
});

test('each request in a tunnel is judged on its own: pipelined, upgraded, in another form', async () => {
  const at = `localhost:${port}`;
  const open = `CONNECT ${at} HTTP/1.1\r\n\r\n`;
  const first = `GET /run/v1/x HTTP/1.1\r\nHost: ${at}\r\n\r\n`;
  for (const second of [
    inside('POST /idp/token', at),
    inside('POST /idp/token', `shop.localhost:${port}`),
    inside(`GET http://${at}/docs`, at),
    `GET /docs HTTP/1.1\r\nHost: ${at}\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n${inside('GET /docs', at)}`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ]) {
    seen = [];
    await speak(open + first + second, /403|400|HTTP\/1\.1 5/);
    expect(seen.filter(({ by, what }) => by === 'api' && what !== 'GET /run/v1/x')).toEqual([]);
  }
  expect(fromOutside).toBe(0);
});

test('where the platform speaks https, a tunnel to it never leads to this machine itself; in the open it comes in as a guest', async () => {
  const refusals: string[] = [];
  const plane = { controlPlane: 'https://plane.test', agentsDomain: 'agents.test', guestSocket: join(folder, 'guests.sock'), services: {} };
  const lookup = async (): Promise<string[]> => ['127.0.0.1', '::1', '127.0.1.1', '::ffff:127.0.0.1'];
  const proxy = createEgressProxy({ policy: wide, configuration: plane, guest: 'ins_mallory', onRefusal: (line) => refusals.push(line), lookup });
  proxies.push(proxy);
  const way = createTcp((socket) => proxy.handle(socket)).listen(0, '127.0.0.1');
  await once(way, 'listening');
  const through = async (bytes: string): Promise<string> => {
    const address = way.address();
    const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1', () => socket.write(bytes));
    return text(socket);
  };
  for (const name of ['plane.test', 'shop.agents.test']) expect(await through(`CONNECT ${name}:443 HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 502 /);
  expect(refusals).toHaveLength(2);
  expect(await through(inside('GET http://plane.test/docs', 'plane.test'))).toMatch(/^HTTP\/1\.1 403 /);
  expect(fromOutside).toBe(0);
  way.close();
});

test('code in a sandbox reaches no name of the platform, whatever its owner allows', async () => {
  const refusals: string[] = [];
  const platform = { controlPlane: 'https://plane.test', agentsDomain: 'agents.test', guestSocket: join(folder, 'guests.sock') };
  const proxy = sandboxEgress(
    ['*.agents.test', 'agents.test', 'plane.test', '*.localhost'],
    platform,
    { onRefusal: (line) => refusals.push(line) },
    async () => ['93.184.216.34'],
  );
  proxies.push(proxy);
  const way = createTcp((socket) => proxy.handle(socket)).listen(0, '127.0.0.1');
  await once(way, 'listening');
  const address = way.address();
  for (const name of ['shop.agents.test', 'a.b.agents.test', 'agents.test', 'plane.test', 'x.localhost']) {
    const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1', () => socket.write(`CONNECT ${name}:443 HTTP/1.1\r\n\r\n`));
    expect(await text(socket), name).toMatch(/^HTTP\/1\.1 403 /);
  }
  expect(refusals).toHaveLength(5);
  way.close();
});

test('an instance that asks without end waits; another does not', async () => {
  const socketPath = join(folder, 'small.sock');
  const small = createGuestListener({ ownerOf, handle: api.handle, budget: { points: 2, seconds: 600 } });
  await small.listen(socketPath);
  const ask = async (guest: string): Promise<(number | string | undefined)[]> => {
    const headers = { host: `localhost:${port}`, 'x-svc-guest': guest, 'x-forwarded-for': `10.0.0.${seen.length}` };
    const asked = request({ socketPath, path: '/run/v1/x', headers, agent: false }).end();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => asked.on('response', resolve).on('error', reject));
    answer.resume();
    return [answer.statusCode, answer.headers['retry-after'] === undefined ? 'at once' : 'later'];
  };
  const [now, later] = [
    [200, 'at once'],
    [429, 'later'],
  ];
  for (const expected of [now, now, later, later]) expect(await ask('ins_busy')).toEqual(expected);
  expect(await ask('ins_calm')).toEqual(now);
  expect(await ask('')).toEqual([400, 'at once']);
  await small.close();
});

test('a header alone does not mark a request as from a guest', async () => {
  await fetch(`http://127.0.0.1:${port}/docs`, { headers: { 'x-svc-guest': 'ins_victim' } });
  expect(seen).toEqual([{ by: 'api', what: 'GET /docs', guest: undefined }]);
});
