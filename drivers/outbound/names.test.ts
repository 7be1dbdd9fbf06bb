import { expect, test } from 'vitest';
import { normalHost, splitAuthority } from './names.ts';

test('names are compared in one spelling', () => {
  expect(normalHost('API.Example.COM.')).toBe('api.example.com');
  expect(normalHost('[::1]')).toBe('::1');
  expect(normalHost('a b')).toBeUndefined();
  expect(normalHost('a\r\nb')).toBeUndefined();
  expect(splitAuthority('[::1]:443', 80)).toEqual({ host: '::1', port: 443 });
  expect(splitAuthority('a:0', 80)).toBeUndefined();
  expect(splitAuthority('user@host:80', 80)).toBeUndefined();
});
