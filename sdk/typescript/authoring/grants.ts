// Grants for those who hold a key: tests, tools and platforms of one's own. A deployed agent's grants come
// from the platform.
import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { fromBase64Url } from '../../../contract/wire/base64url.ts';
import { checkGrant, type GrantCheck, mintGrant as mint, readUncheckedGrant, signGrant as sign, type MintGrant } from '../../../contract/crypto/grant-token.ts';
import type { Grant } from '../../../contract/wire/grant.ts';
import { GrantInvalid } from './errors.ts';

/**
 * The base64url text of 32 bytes (SVC_GRANT_KEY), or any other text or bytes. A deployed agent takes only
 * those of the platform.
 */
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
  const checked = check(token, secret, audience);
  if (!checked?.ok) throw new GrantInvalid();
  return checked.grant;
}

function check(token: string, secret: GrantSecret, audience: string | undefined): GrantCheck | undefined {
  try {
    const expected = audience ?? readUncheckedGrant(token)?.audience;
    return expected === undefined ? undefined : checkGrant(token, keyOf(secret), { audience: expected, now: Math.floor(Date.now() / 1000) });
  } catch {
    return undefined;
  }
}

/** An empty key, for example from an unset variable, would let anyone sign. */
function keyOf(secret: GrantSecret): KeyObject {
  if (secret.length === 0) throw new TypeError('the secret of grants is empty: set it');
  if (typeof secret !== 'string') return createSecretKey(secret);
  const key = fromBase64Url(secret);
  return createSecretKey(key?.length === 32 ? key : Buffer.from(secret));
}
