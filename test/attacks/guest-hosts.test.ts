// A guest that owns its whole machine and speaks to its way out as it likes: what reaches the platform, and as whom.
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createServer as createTcp, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGuestDoor, type GuestDoor } from '../../api/guests.ts';
import { guestOf } from '../../api/http/guest.ts';
import { createLogger } from '../../api/http/log.ts';
import { createIngress } from '../../api/ingress/ingress.ts';
import { createApiServer, type ApiServer } from '../../api/server.ts';
import { hostOwner, isForAgents } from '../../contract/wire/hosts.ts';
import { Unauthorized } from '../../core/errors.ts';
import { createAgentPools } from '../../drivers/agent-http/pools.ts';
import type { decide } from '../../drivers/runtime/egress/policy.ts';
import { createEgressProxy } from '../../drivers/runtime/egress/proxy.ts';

interface Seen {
  by: 'api' | 'agent';
  what: string;
  guest: string | undefined;
}

const pools = createAgentPools({ connections: 1, inFlight: 1, pools: 1, idleMs: 1_000, connectMs: 1_000 });
const wide = { allowHosts: ['*.localhost', 'localhost', '127.0.0.1', '127.1', '*.agents.test', 'plane.test'], allowInternalServices: [] };
let folder: string;
let api: ApiServer;
let door: GuestDoor;
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
    config,
    issuer: `${config.baseUrl}/idp`,
    resolve: async (name) => {
      seen.push({ by: 'agent', what: name, guest: undefined });
      return undefined;
    },
    authenticate: () => Promise.reject(new Unauthorized('token_invalid', 'nobody signs in here')),
    log: createLogger('silent'),
    pools,
    beginTask: async () => ({}),
    callAgent: () => Promise.reject(new Error('no agent is called here')),
  });
  door = createGuestDoor({ ownerOf, handle: api.handle, budget: { points: 1_000_000, seconds: 1 } });
  const guestDoor = join(folder, 'guests.sock');
  await door.listen(guestDoor);
  configuration = { controlPlane: config.baseUrl, agentsDomain: config.agentsDomain, guestDoor, services: {} };
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
  await Promise.all([api.close(), door.close(), pools.close()]);
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

test('the run context is reached as a guest, whatever the guest says of where it comes from', async () => {
  const lies = 'X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\nX-Real-IP: 127.0.0.1\r\nX-Svc-Guest: ins_victim\r\n';
  for (const form of ['GET http://localhost:PORT/run/v1/x', 'CONNECT'].map((text) => text.replace('PORT', String(port)))) {
    const request = `${form === 'CONNECT' ? 'GET /run/v1/x' : form} HTTP/1.1\r\nHost: localhost:${port}\r\n${lies}Connection: close\r\n\r\n`;
    expect(await speak(form === 'CONNECT' ? `CONNECT localhost:${port} HTTP/1.1\r\n\r\n${request}` : request)).toContain('the api');
  }
  const one = { by: 'api', what: 'GET /run/v1/x', guest: 'ins_mallory' };
  expect(seen).toEqual([one, one]);
  expect(fromOutside).toBe(0);
});

test('whatever name a guest asks for, the way out and the ingress agree whose it is', async () => {
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
      if (ownerOf(authority).kind === 'nobody') expect(seen).toEqual([]);
      if (ownerOf(authority).kind === 'agent' && withPort) expect(seen.length).toBeGreaterThan(0);
    }),
    { numRuns: 150 },
  );
  expect(fromOutside).toBe(0);
}, 60_000);

test('an instance that asks without end waits; another does not', async () => {
  const socketPath = join(folder, 'small.sock');
  const small = createGuestDoor({ ownerOf, handle: api.handle, budget: { points: 2, seconds: 600 } });
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

test('a header alone makes nobody a guest', async () => {
  await fetch(`http://127.0.0.1:${port}/docs`, { headers: { 'x-svc-guest': 'ins_victim' } });
  expect(seen).toEqual([{ by: 'api', what: 'GET /docs', guest: undefined }]);
});
