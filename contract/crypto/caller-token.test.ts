import { expect, test } from 'vitest';
import type { Caller } from '../wire/caller.ts';
import { readCaller, signCaller } from './caller-token.ts';
import { LEEWAY_SECONDS } from './grant-token.ts';

const caller: Caller = {
  kind: 'user', sub: 'usr_1', user_id: 7, email: 'ädá@example.test', org_id: null, org_slug: null, scopes: ['admin'], trusted: true, agent: null, on_behalf_of: null,
}; // prettier-ignore
const now = 1_800_000_000;
const token = signCaller({ caller, run: 'run_1', exp: now + 300 }, 'the-key');

test('is read by the instance with that key, in its time, for its run', () => {
  expect(readCaller(token, 'the-key', { run: 'run_1', now })).toEqual(caller);
  expect(readCaller(token, 'the-key', { run: 'run_1', now: now + 300 + LEEWAY_SECONDS })).toEqual(caller);
});

test('proves nothing at another instance, for another run, for none, or later', () => {
  expect(readCaller(token, 'other-key', { run: 'run_1', now })).toBeUndefined();
  expect(readCaller(token, 'the-key', { run: 'run_2', now })).toBeUndefined();
  expect(readCaller(token, 'the-key', { run: null, now })).toBeUndefined();
  expect(readCaller(token, 'the-key', { run: 'run_1', now: now + 301 + LEEWAY_SECONDS })).toBeUndefined();
});

test('is refused when one character of it is another, or something is missing or more', () => {
  for (let at = 0; at < token.length; at += 7) {
    const altered = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    expect(readCaller(altered, 'the-key', { run: 'run_1', now }), String(at)).toBeUndefined();
  }
  const [payload = '', signature = ''] = token.split('.');
  for (const junk of ['', '.', payload, `${payload}.`, `.${signature}`, `${token}.x`, `${token}=`, `${token}, ${token}`, 'x'.repeat(70_000)])
    expect(readCaller(junk, 'the-key', { run: 'run_1', now })).toBeUndefined();
});
