import { expect, test } from 'vitest';
import { AllowedOrigins, isPublicHost, isPublicOrigin } from './origins.ts';

const takes = (origin: string): boolean => AllowedOrigins.safeParse([origin]).success;

test('an origin is listed as browsers send it, and in no other spelling', () => {
  for (const one of [
    'https://app.example.com',
    'http://localhost:3000',
    'http://[::1]:8080',
    'https://xn--bcher-kva.example',
    'chrome-extension://abcdef',
    'capacitor://localhost',
  ])
    expect([one, takes(one)]).toEqual([one, true]);
  const others = [
    'null',
    '*',
    'https://*.example.com',
    'https://app.example.com/',
    'https://app.example.com:443',
    'https://App.example.com',
    'https://bücher.example',
  ];
  for (const one of [
    ...others,
    'app.example.com',
    'https://user@app.example.com',
    'https://a.example, https://b.example',
    'javascript:alert(1)',
    '',
    'http://0x7f.1',
  ])
    expect([one, takes(one)]).toEqual([one, false]);
  expect(AllowedOrigins.safeParse(Array.from({ length: 51 }, (_, at) => `https://a${at}.example`)).success).toBe(false);
});

test('hosts of this machine and of private networks are told by their name', () => {
  for (const host of ['app.example.com', '8.8.8.8', '[2606:4700::1111]', 'localhost.example.com', 'corp.example'])
    expect([host, isPublicHost(host)]).toEqual([host, true]);
  const near = [
    'localhost',
    'a.localhost',
    'a.localhost.',
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.169.254',
    '[::1]',
    '[fd00::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
  ];
  for (const host of [...near, 'nas.local', 'x.internal', 'LAN', 'a.home.arpa', 'intranet', '']) expect([host, isPublicHost(host)]).toEqual([host, false]);
  expect([isPublicOrigin('chrome-extension://abcdef'), isPublicOrigin('capacitor://localhost'), isPublicOrigin('null')]).toEqual([true, false, false]);
});
