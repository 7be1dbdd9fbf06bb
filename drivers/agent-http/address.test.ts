import { expect, test } from 'vitest';
import { keyOf, originOf } from './address.ts';

test('each address has a text of its own, each URL the scheme that is spoken', () => {
  const [plain, secure, six] = [
    { host: 'a.test', port: 80, tls: false },
    { host: 'a.test', port: 80, tls: true },
    { host: '::1', port: 8080, tls: false },
  ] as const;
  expect([plain, secure, six].map(originOf)).toEqual(['http://a.test:80', 'https://a.test:80', 'http://[::1]:8080']);
  const all = [{ unix: '/a' }, { unix: '/b' }, plain, secure, six];
  expect(new Set(all.map(keyOf)).size).toBe(all.length);
});
