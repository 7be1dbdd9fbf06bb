import { expect, test } from 'vitest';
import { cookieRemoval } from './cookie-removal.ts';

const packet = (...lines: string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');

test('cookies that a neighbouring host may have set are removed at each path and parent domain; the platform’s own stay', () => {
  const { head, page } = cookieRemoval(packet('GET /app/x HTTP/1.1', 'host: svc.example.com:8080', 'accept: text/html', 'cookie: big=1; __Host-svc=2'));
  expect(head.every((line) => line.startsWith('set-cookie: big=; Path=/'))).toBe(true);
  expect(head).toContain('set-cookie: big=; Path=/; Domain=example.com; Max-Age=0');
  expect(head).toContain('set-cookie: big=; Path=/app/x; Domain=svc.example.com; Max-Age=0');
  expect(page).toContain('Try again');
});

test('a program is given no page, and a request with no cookie, no host or neither removes none', () => {
  expect(cookieRemoval(packet('POST / HTTP/1.1', 'host: a.test', 'cookie: big=1')).page).toBeUndefined();
  for (const lines of [['GET / HTTP/1.1', 'host: a.test'], ['GET / HTTP/1.1', 'cookie: big=1'], ['GET / HTTP/1.1'], ['x'.repeat(1_000)]])
    expect(cookieRemoval(packet(...lines))).toEqual({ head: [] });
});

test('of a later part of a request the names in it are removed at the host of the connection', () => {
  const part = Buffer.from('xx; toss60=xx; toss61=xx; tos', 'latin1');
  expect(cookieRemoval(part)).toEqual({ head: [] });
  const { head, page } = cookieRemoval(part, 'svc.example.com');
  expect(head).toEqual(
    ['toss60', 'toss61'].flatMap((name) =>
      ['', '; Domain=svc.example.com', '; Domain=example.com'].map((domain) => `set-cookie: ${name}=; Path=/${domain}; Max-Age=0`),
    ),
  );
  expect(page).toBeUndefined();
});

test('an address is no domain of cookies, and what would end the line is in no name', () => {
  expect(cookieRemoval(packet('GET / HTTP/1.1', 'host: 127.0.0.1:80', 'cookie: a=1')).head).toEqual(['set-cookie: a=; Path=/; Max-Age=0']);
  expect(cookieRemoval(packet('GET / HTTP/1.1', 'host: [::1]', 'cookie: a=1')).head).toEqual(['set-cookie: a=; Path=/; Max-Age=0']);
  expect(cookieRemoval(packet('GET / HTTP/1.1', 'host: a', 'cookie: a\u0001b=1; ;=2')).head).toEqual([]);
});
