// reads: activities/ api/ cli/ contract/ core/ drivers/ sdk/typescript/ stack/ worker/ workflows/
import { globSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { looseForms } from '#test/support/loose-base64.ts';
import { decoded, encoded, fromBase64Url, textFromBase64Url, toBase64Url } from './base64url.ts';

test.each([
  ['in Node', toBase64Url, fromBase64Url],
  ['in a browser', encoded, decoded],
])('bytes have one text each; every other text that means the same is refused: %s', (_where, encode, decode) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = encode(bytes);
      expect([text, decode(text)]).toEqual([encoded(bytes), new Uint8Array(bytes)]);
      for (const form of looseForms(text)) expect(decode(form), form).toBeUndefined();
    }),
  );
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 9 }), (text) => void expect(fromBase64Url(text)).toEqual(decoded(text))));

  expect(textFromBase64Url(toBase64Url(Buffer.from('grüß')))).toBe('grüß');
  expect(textFromBase64Url(toBase64Url(Uint8Array.of(0xc3, 0x28)))).toBeUndefined();
  expect(textFromBase64Url('A')).toBeUndefined();
});

test('all code decodes base64url by this module', () => {
  const allowed = new Set([
    'contract/wire/base64url.ts',
    // Refuses what anybody could read as a token of ours.
    'api/ingress/ours.ts',
    // Its own stored hashes.
    'drivers/idp/passwords.ts',
  ]);
  const files = globSync('{activities,api,cli,contract,core,drivers,sdk/typescript,stack,worker,workflows}/**/*.ts', { exclude: ['**/*.test.ts', '**/node_modules/**'] });
  expect(files.length).toBeGreaterThan(500);
  const others = files.filter((file) => !allowed.has(file) && /Buffer\.from\([^()]*(?:\([^()]*\))?[^()]*'base64url'\)|\batob\(|fromBase64\(/.test(readFileSync(file, 'utf8')));
  expect(others).toEqual([]);
}); // prettier-ignore
