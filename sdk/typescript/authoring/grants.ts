// Grants for those who hold a key: tests, tools and platforms of one's own. A deployed agent's grants come from the platform.
import { randomUUID } from 'node:crypto';
import { fromBase64Url } from '../../../contract/wire/base64url.ts';
import { checkGrant, mintGrant as mint, readUncheckedGrant, signGrant as sign, type MintGrant } from '../../../contract/crypto/grant-token.ts';
import type { Grant } from '../../../contract/wire/grant.ts';
import { GrantInvalid } from './errors.ts';

/** The key of one audience: 32 bytes, or their base64url text (SVC_GRANT_KEY). */
export type GrantSecret = Uint8Array | string;

export interface MintGrantOptions extends Omit<MintGrant, 'grantId'> {
  secret: GrantSecret;
  /** default: generated */
  grantId?: string;
}

/** A grant and its token. `ttlSeconds` is 300 by default. */
export function mintGrant({ secret, grantId = `grt_${randomUUID()}`, ...grant }: MintGrantOptions): { grant: Grant; token: string } {
  return mint({ ...grant, grantId }, keyOf(secret));
}

/** `<payload>.<signature>` */
export function signGrant(grant: Grant, secret: GrantSecret): string {
  return sign(grant, keyOf(secret));
}

/**
 * Checks signature, expiry and structure; the audience too where one is given, as an agent's own door does.
 * @throws GrantInvalid
 */
export function verifyGrant(token: string, secret: GrantSecret, { audience }: { audience?: string } = {}): Grant {
  const expected = audience ?? readUncheckedGrant(token)?.audience;
  const checked = expected === undefined ? undefined : checkGrant(token, keyOf(secret), { audience: expected, now: Math.floor(Date.now() / 1000) });
  if (!checked?.ok) throw new GrantInvalid();
  return checked.grant;
}

function keyOf(secret: GrantSecret): Uint8Array {
  const key = typeof secret === 'string' ? fromBase64Url(secret) : secret;
  if (key?.length !== 32) throw new TypeError('the secret of grants is 32 bytes, or their base64url text');
  return key;
}
