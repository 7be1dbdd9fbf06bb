import { expect, test } from 'vitest';
import { decide, hostMatches, normalHost, planePath, splitAuthority } from './policy.ts';

const policy = { allowHosts: ['api.example.com', '*.cdn.example.com', '93.184.216.34'], allowInternalServices: ['orders'] };
const configuration = { controlPlane: 'http://localhost:8080', services: { orders: '10.0.0.7:9000', other: '10.0.0.8:9000' } };
const ask = (host: string, port: number) => decide(policy, configuration, host, port);

test('declared hosts pass on the web ports only', () => {
  expect(ask('api.example.com', 443)).toEqual({ allowed: true, host: 'api.example.com', port: 443, mayBeInternal: false });
  expect(ask('a.cdn.example.com', 80).allowed).toBe(true);
  expect(ask('cdn.example.com', 443).allowed).toBe(false);
  expect(ask('evilcdn.example.com', 443).allowed).toBe(false);
  expect(ask('api.example.com', 22)).toEqual({ allowed: false, reason: expect.stringContaining('80 and 443') });
});

test('a refusal names the host and the field that allows it', () => {
  expect(ask('evil.test', 443)).toEqual({ allowed: false, reason: expect.stringMatching(/evil\.test.*egress\.allow_hosts/) });
});

test('the control plane is allowed at its own port only, and may be internal', () => {
  expect(ask('localhost', 8080)).toEqual({ allowed: true, host: 'localhost', port: 8080, mayBeInternal: true, readInside: true, byPath: true });
  expect(decide(policy, { ...configuration, controlPlane: 'https://plane.test' }, 'plane.test', 443)).toEqual({
    allowed: true,
    host: 'plane.test',
    port: 443,
    mayBeInternal: true,
  });
  expect(ask('localhost', 8081).allowed).toBe(false);
  expect(ask('localhost', 443).allowed).toBe(false);
});

test('of the control plane agents reach the run context, granted workspaces and who is signed in', () => {
  for (const path of ['/run/v1/questions', '/v1/workspace-grants/files/a', '/v1/me', '/v1/agents/a-b/memory', '/v1/agents/a-b/memory/x/y'])
    expect(planePath('GET', path)).toBe(true);
  for (const path of [
    '/',
    '/v1/agents',
    '/v1/agents/a/b/memory',
    '/v1/agents/a/memoryx',
    '/v1/agents/a/secrets',
    '/v1/me/tokens',
    '/v1/workspace-grants',
    '/run/v2/x',
    '/idp/token',
  ])
    expect(planePath('GET', path)).toBe(false);
  expect(planePath('PATCH', '/v1/me')).toBe(false);
});

test('agents reach each other below the agents’ domain, at its port', () => {
  const local = { ...configuration, agentsDomain: 'localhost:8080' };
  const to = (host: string, port: number, more: object = {}) => decide(policy, { ...local, ...more }, host, port);
  expect(to('text-kit.localhost', 8080)).toEqual({ allowed: true, host: '127.0.0.1', port: 8080, mayBeInternal: true, readInside: true });
  expect(to('text-kit.localhost', 5432).allowed).toBe(false);
  expect(to('text-kit.localhost', 8080, { controlPlaneAddress: '10.1.2.3:80' })).toMatchObject({ host: '10.1.2.3', port: 80 });
  expect(to('a.agents.test', 443, { agentsDomain: 'agents.test', controlPlane: 'https://plane.test' })).toMatchObject({ readInside: false });
  expect(to('a.agents.test', 443, { agentsDomain: 'agents.test' })).toMatchObject({ allowed: true, host: 'a.agents.test', port: 443 });
  expect(to('agents.test', 443, { agentsDomain: 'agents.test' }).allowed).toBe(false);
  expect(to('a.agents.test', 8443, { agentsDomain: 'agents.test' }).allowed).toBe(false);
});

test('internal services lead where the operator mapped them, for those who declared them', () => {
  expect(ask('orders', 80)).toEqual({ allowed: true, host: '10.0.0.7', port: 9000, mayBeInternal: true });
  expect(ask('other', 80).allowed).toBe(false);
});

test('a trusted host is not allowed by that alone', () => {
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

test('names are compared in one spelling', () => {
  expect(normalHost('API.Example.COM.')).toBe('api.example.com');
  expect(normalHost('[::1]')).toBe('::1');
  expect(normalHost('a b')).toBeUndefined();
  expect(normalHost('a\r\nb')).toBeUndefined();
  expect(hostMatches('*.', 'x')).toBe(false);
  expect(hostMatches('*', 'x')).toBe(false);
  expect(splitAuthority('[::1]:443', 80)).toEqual({ host: '::1', port: 443 });
  expect(splitAuthority('a:0', 80)).toBeUndefined();
  expect(splitAuthority('user@host:80', 80)).toBeUndefined();
});
