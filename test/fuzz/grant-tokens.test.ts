// Spec 2, "Grant tokens": a bad signature, missing audience or expired grant is rejected. Thousands here; a
// million in the parts suite.
import { expect, test } from 'vitest';
import { checkGrant, grantKeyOf, mintGrant, signGrant } from '#contract/crypto/grant-token.ts';
import { fuzzTokens } from './run.ts';
import { AUDIENCE, KEY, MUTATIONS, NOW, REAL, SECRET } from './tokens.ts';
import { cites } from '../spec/verifies.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? Math.trunc(Math.random() * 2 ** 32));

test('the tokens that are mutated are valid themselves', () => {
  for (const { token, grant } of REAL) expect(checkGrant(token, KEY, { audience: AUDIENCE, now: NOW })).toEqual({ ok: true, grant });
});

test(`10,000 mutated tokens, none accepted (FUZZ_SEED=${seed})`, cites('grants.wire'), () => {
  const { accepted, tried } = fuzzTokens(seed, 10_000);
  expect(accepted).toEqual([]);
  for (const kind of Object.keys(MUTATIONS)) expect(tried[kind], kind).toBeGreaterThan(100);
});

test('every single bit of a token counts', () => {
  const { token } = REAL[1] ?? { token: '' };
  for (let at = 0; at < token.length; at += 1) {
    for (let bit = 0; bit < 16; bit += 1) {
      const changed = token.slice(0, at) + String.fromCharCode(token.charCodeAt(at) ^ (1 << bit)) + token.slice(at + 1);
      expect(checkGrant(changed, KEY, { audience: AUDIENCE, now: NOW }).ok, `bit ${bit} at ${at}`).toBe(false);
    }
  }
});

test('every refusal has its reason, for the log', () => {
  const { grant, token } = REAL[0] ?? mintGrant({ grantId: 'x', issuer: 'x', audience: AUDIENCE, bucket: 'x', mode: 'read_only' }, KEY);
  const fault = (text: string, now = NOW, audience = AUDIENCE) => {
    const checked = checkGrant(text, KEY, { audience, now });
    return checked.ok ? 'ok' : checked.fault;
  };
  expect(fault(token)).toBe('ok');
  expect(fault(token, grant.expires_at)).toBe('expired');
  expect(fault(token, Number.NaN)).toBe('expired');
  expect(fault(token, grant.issued_at - 31)).toBe('not_yet_valid');
  expect(fault(token, grant.issued_at - 30)).toBe('ok');
  expect(fault(token, NOW, 'golden')).toBe('wrong_audience');
  expect(fault(signGrant({ ...grant, audience: 'golden' }, KEY))).toBe('wrong_audience');
  expect(fault(signGrant(grant, grantKeyOf(SECRET, 'golden')))).toBe('bad_signature');
  for (const text of ['', '.', 'a', 'a.', '.a', 'a.b.c', 'x'.repeat(10_000)]) expect(fault(text), text.slice(0, 9)).toBe('malformed');
});

test('no key at all is a mistake, not a key: an unset variable must not let anybody sign', () => {
  const { grant, token } = REAL[0] ?? mintGrant({ grantId: 'x', issuer: 'x', audience: AUDIENCE, bucket: 'x', mode: 'read_only' }, KEY);
  for (const key of [new Uint8Array(0), new Uint8Array(31), new Uint8Array(33)]) {
    expect(() => signGrant(grant, key)).toThrow('32 bytes');
    expect(() => checkGrant(token, key, { audience: AUDIENCE, now: NOW })).toThrow('32 bytes');
  }
});
