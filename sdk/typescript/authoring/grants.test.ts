import { describe, expect, it } from 'vitest';
import { GrantInvalid } from './errors.ts';
import { mintGrant, signGrant, verifyGrant } from './grants.ts';
import { cites } from '../../../test/spec/verifies.ts';

const secret = new Uint8Array(32).fill(3);
const input = { issuer: 'ada', audience: 'greeter', bucket: 'usr:1', mode: 'read_only', secret } as const;

describe('grants (spec: mint, sign, verify)', () => {
  it('mint_grant returns the grant and its token, with the defaults of the specification', cites('grants.mint'), () => {
    const { grant, token } = mintGrant(input);
    expect(grant).toMatchObject({ allow_patterns: ['**'], deny_patterns: [], outputs_prefix: null, nonce: expect.stringMatching(/.{8}/) });
    expect(grant.expires_at - grant.issued_at).toBe(300);
    expect(token).toMatch(/^[\w-]+\.[\w-]+$/);
    expect(verifyGrant(token, secret)).toEqual(grant);
    expect(verifyGrant(token, Buffer.from(secret).toString('base64url'), { audience: 'greeter' })).toEqual(grant);
    expect(signGrant(grant, secret)).toBe(token);
  });

  it('verify_grant raises GrantInvalid on any failure', cites('grants.verify'), () => {
    const { token } = mintGrant(input);
    const refused: [string, Uint8Array, { audience?: string }][] = [
      [token, new Uint8Array(32), {}],
      [token, secret, { audience: 'other' }],
      [mintGrant({ ...input, issuedAt: 1, ttlSeconds: 1 }).token, secret, {}],
      [`${token}A`, secret, {}],
      [token.split('.')[0] ?? '', secret, {}],
      ['', secret, {}],
    ];
    for (const [bad, key, options] of refused) expect(() => verifyGrant(bad, key, options)).toThrow(GrantInvalid);
    for (const key of ['short', '', 'dev-secret']) expect(() => verifyGrant(token, key)).toThrow(GrantInvalid);
  });

  it('any secret signs and verifies; an empty one does not', cites('grants.mint'), () => {
    for (const own of ['dev-secret', new Uint8Array(5).fill(1), 'ü'.repeat(100)]) {
      const { grant, token } = mintGrant({ ...input, secret: own });
      expect(verifyGrant(token, own)).toEqual(grant);
      expect(() => verifyGrant(token, `${String(own)}x`)).toThrow(GrantInvalid);
    }
    // The same bytes as in Python: sdk/python/tests/test_golden.py.
    const { grant } = mintGrant({ ...input, grantId: 'grt_1', issuedAt: 1, nonce: 'nonce-nonce' });
    expect(signGrant(grant, 'dev-secret').split('.')[1]).toBe('lYfwePZSRlR2xNVuLjbmQhp3o3_OHAsUEJodYqoftN8');
    for (const empty of ['', new Uint8Array()]) expect(() => mintGrant({ ...input, secret: empty })).toThrow(TypeError);
  });
});
