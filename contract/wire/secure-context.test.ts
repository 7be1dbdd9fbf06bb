import { afterEach, expect, test, vi } from 'vitest';
import { insecureAddress, webCrypto } from './secure-context.ts';
import { digestOf } from './sha256.ts';

afterEach(() => vi.unstubAllGlobals());

test.each(['https://svc.example.com', 'http://localhost:8080', 'http://svc.localhost:8080', 'http://127.0.0.1:8080', 'http://127.9.9.9', 'http://[::1]:8080'])(
  'browsers keep the session at %s',
  (url) => {
    expect(insecureAddress(url)).toBeUndefined();
  },
);

test.each([
  'http://192.168.1.20:8080',
  'http://svc.example.com',
  'http://nas:8080',
  'http://[fe80::1]:8080',
  'http://localhost.example.com',
  'http://127.0.0.1.nip.io',
])('at %s they do not: the sentence names the address and the way on', (url) => {
  expect(insecureAddress(url)).toContain(`cannot sign in at ${url}:`);
  expect(insecureAddress(url)).toContain('SVC_BASE_URL');
});

test('what needs the browser to hash names the reason, where the page came over plain http', async () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  expect(() => webCrypto()).toThrow('only over https or at localhost');
  await expect(digestOf(new Uint8Array(1))).rejects.toThrow('only over https or at localhost');
});
