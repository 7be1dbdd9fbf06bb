import { expect, test } from 'vitest';
import { candidates, displayName, parseHostname } from './hostname.ts';

const config = { baseUrl: 'https://svc.example.com', agentsDomain: 'agents.example.com', apiHosts: ['api.internal.example.net'] };

test.each([
  ['shop.example.org', 'shop.example.org'],
  ['Shop.Example.ORG.', 'shop.example.org'],
  ['*.example.org', '*.example.org'],
  ['bücher.example.org', 'xn--bcher-kva.example.org'],
  ['*.BÜCHER.example.org', '*.xn--bcher-kva.example.org'],
  ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
  // The domain above the platform's is somebody's own: only its proof decides.
  ['example.com', 'example.com'],
])('%s is kept as %s', (given, kept) => {
  expect(parseHostname(given, config)).toBe(kept);
});

test.each([
  '', '.', 'localhost', 'com', 'shop', '*', '*.', '*.com', '127.0.0.1', '0x7f.1', '2130706433', '[::1]', '::1', 'a..b.org', '-a.example.org', 'a-.example.org', 'a_b.example.org',
  'a b.example.org', 'a/b.example.org', 'a.example.org:443', 'user@a.example.org', 'a.*.example.org', '**.example.org', '*a.example.org', '*.*.example.org', `${'a'.repeat(64)}.example.org`,
  `${'a.'.repeat(120)}example.org`, 'db.internal', 'printer.local', 'host.lan', 'x.home.arpa', '4.3.2.1.in-addr.arpa', 'x.onion', 'x.localhost', 'a.1', '*.10.0.0.1', 'a\u0000.example.org', 'a\r\n.example.org',
])('%j is no name of the internet', (given) => {
  expect(() => parseHostname(given, config)).toThrow(expect.objectContaining({ code: 'hostname_invalid' }));
}); // prettier-ignore

test.each([
  'svc.example.com',
  'x.svc.example.com',
  'agents.example.com',
  'shop.agents.example.com',
  'a.b.agents.example.com',
  '*.agents.example.com',
  'SVC.example.com.',
  'ｓｖｃ.example.com',
  '*.example.com',
  'api.internal.example.net',
  'x.api.internal.example.net',
])('%s belongs to the platform', (given) => {
  expect(() => parseHostname(given, config)).toThrow(expect.objectContaining({ code: 'hostname_reserved' }));
});

test('people read a name in its own letters', () => {
  expect(displayName('*.xn--bcher-kva.example.org')).toBe('*.bücher.example.org');
  expect(candidates('a.example.org')).toEqual(['a.example.org', '*.example.org']);
});
