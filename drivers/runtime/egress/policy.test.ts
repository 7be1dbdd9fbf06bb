import { expect, test } from 'vitest';
import { decide, hostMatches, normalHost, splitAuthority } from './policy.ts';

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
  expect(ask('localhost', 8080)).toEqual({ allowed: true, host: 'localhost', port: 8080, mayBeInternal: true });
  expect(ask('localhost', 8081).allowed).toBe(false);
  expect(ask('localhost', 443).allowed).toBe(false);
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
