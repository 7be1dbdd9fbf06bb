import { expect, test } from 'vitest';
import { decide, hostMatches } from './policy.ts';

const policy = { allowHosts: ['api.example.com', '*.cdn.example.com', '93.184.216.34'], allowInternalServices: ['orders'] };
const configuration = { controlPlane: 'http://localhost:8080', services: { orders: '10.0.0.7:9000', other: '10.0.0.8:9000' } };
const ask = (host: string, port: number) => decide(policy, configuration, host, port);

test('declared hosts pass on the web ports only', () => {
  expect(ask('api.example.com', 443)).toEqual({ allowed: true, host: 'api.example.com', port: 443, mayBeInternal: false, outside: true });
  expect(ask('a.cdn.example.com', 80).allowed).toBe(true);
  expect(ask('cdn.example.com', 443).allowed).toBe(false);
  expect(ask('evilcdn.example.com', 443).allowed).toBe(false);
  expect(ask('api.example.com', 22)).toEqual({ allowed: false, reason: expect.stringContaining('80 and 443') });
});

test('a refusal names the host and the field that allows it', () => {
  expect(ask('evil.test', 443)).toEqual({ allowed: false, reason: expect.stringMatching(/evil\.test.*egress\.allow_hosts/) });
});

test.each(['169.254.169.254', '10.0.0.1', '::1', 'fd00::1'])(
  'an internal address, %s, is refused without the advice to declare it, which would not help',
  (host) => {
    expect(ask(host, 443)).toEqual({ allowed: false, reason: expect.stringMatching(/internal address/) });
    expect(ask(host, 443)).not.toMatchObject({ reason: expect.stringContaining('allow_hosts') });
  },
);

test('the control plane is allowed at its own port only, and may be internal', () => {
  const inside = { mayBeInternal: true, readInside: true, platform: true };
  expect(ask('localhost', 8080)).toEqual({ allowed: true, host: '127.0.0.1', port: 8080, ...inside, byPath: true });
  expect(decide(policy, { ...configuration, controlPlane: 'https://plane.test' }, 'plane.test', 443)).toEqual({
    allowed: true,
    host: 'plane.test',
    port: 443,
    mayBeInternal: true,
    notLoopback: true,
  });
  expect(ask('localhost', 8081).allowed).toBe(false);
  expect(ask('localhost', 443).allowed).toBe(false);
});

test('without the default denial every public host is reached, on the ports of the web, and nothing inside', () => {
  const open = { allowHosts: ['*'], allowInternalServices: [] };
  const inside = { ...configuration, trustedHosts: ['registry.corp', 'db.corp:5432'] };
  expect(decide(open, inside, 'anywhere.example', 443)).toEqual({ allowed: true, host: 'anywhere.example', port: 443, mayBeInternal: false, outside: true });
  expect(decide(open, inside, 'anywhere.example', 22).allowed).toBe(false);
  expect(decide(open, inside, 'registry.corp', 443)).toMatchObject({ allowed: true, mayBeInternal: false });
  expect(decide(open, inside, 'db.corp', 5432).allowed).toBe(false);
  expect(decide({ ...open, allowHosts: ['*', 'registry.corp'] }, inside, 'registry.corp', 443)).toMatchObject({ mayBeInternal: true });
});

test('agents reach each other below the agents’ domain, at its port', () => {
  const local = { ...configuration, agentsDomain: 'localhost:8080' };
  const to = (host: string, port: number, more: object = {}) => decide(policy, { ...local, ...more }, host, port);
  const inside = { mayBeInternal: true, readInside: true, platform: true };
  expect(to('text-kit.localhost', 8080)).toEqual({ allowed: true, host: '127.0.0.1', port: 8080, ...inside });
  expect(to('text-kit.localhost', 5432).allowed).toBe(false);
  expect(to('text-kit.localhost', 8080, { guestSocket: '10.1.2.3:80' })).toMatchObject({ host: '10.1.2.3', port: 80 });
  expect(to('a.agents.test', 443, { agentsDomain: 'agents.test', controlPlane: 'https://plane.test' })).toEqual({
    allowed: true,
    host: 'a.agents.test',
    port: 443,
    mayBeInternal: true,
    notLoopback: true,
  });
  expect(to('a.agents.test', 443, { agentsDomain: 'agents.test' })).toMatchObject({ allowed: true, host: 'a.agents.test', port: 443 });
  expect(to('agents.test', 443, { agentsDomain: 'agents.test' }).allowed).toBe(false);
  expect(to('a.agents.test', 8443, { agentsDomain: 'agents.test' }).allowed).toBe(false);
});

test('names below the agents’ domain that are no agent’s lead nowhere, whatever the allow-list has', () => {
  const own = { controlPlane: 'http://plane.test:8080', agentsDomain: 'agents.test:8080', guestSocket: '/run/guests.sock', services: {} };
  const wide = { allowHosts: ['*.agents.test', '*.localhost', 'agents.test', 'localhost', 'plane.test', 'evil.test'], allowInternalServices: [] };
  const to = (host: string, port: number) => decide(wide, own, host, port);
  for (const host of ['a.b.agents.test', 'a.b.localhost', 'a_b.localhost', '-a.agents.test', 'agents.test', 'localhost'])
    for (const port of [80, 443, 8080]) expect(to(host, port), `${host}:${port}`).toMatchObject({ allowed: false });
  expect(to('plane.test', 443)).toMatchObject({ allowed: false });
  expect(to('evil.test', 443)).toMatchObject({ allowed: true, mayBeInternal: false });
  for (const host of ['a.agents.test', 'a.localhost']) expect(to(host, 8080)).toMatchObject({ socketPath: '/run/guests.sock', platform: true });
  expect(to('plane.test', 8080)).toMatchObject({ socketPath: '/run/guests.sock', platform: true, byPath: true });
});

test('internal services lead where the operator mapped them, for those who declared them', () => {
  expect(ask('orders', 80)).toEqual({ allowed: true, host: '10.0.0.7', port: 9000, mayBeInternal: true });
  expect(ask('other', 80).allowed).toBe(false);
});

test('a trusted host is not allowed only by that', () => {
  const trusting = { services: {}, trustedHosts: ['registry.test', 'mirror.test:4873'] };
  expect(decide({ allowHosts: [], allowInternalServices: [] }, trusting, 'registry.test', 443).allowed).toBe(false);
  expect(decide({ allowHosts: ['registry.test'], allowInternalServices: [] }, trusting, 'registry.test', 443)).toMatchObject({
    allowed: true,
    mayBeInternal: true,
  });
  expect(decide({ allowHosts: ['mirror.test:4873'], allowInternalServices: [] }, trusting, 'mirror.test', 4873)).toMatchObject({
    allowed: true,
    mayBeInternal: true,
  });
});

test('a bare star matches nothing', () => {
  expect(hostMatches('*.', 'x')).toBe(false);
  expect(hostMatches('*', 'x')).toBe(false);
});
