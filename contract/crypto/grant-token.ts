// The token of a grant: base64url(canonical JSON) "." base64url(HMAC-SHA256 over the payload's text). Signed
// with the audience's own key, which the platform derives from its secret: its holder can check tokens for
// this audience, and mint none for others.
import { createHmac, createSecretKey, hkdfSync, KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { fromBase64Url, toBase64Url } from '../wire/base64url.ts';
import { canonicalJson } from '../wire/canonical.ts';
import type { WorkspaceMode } from '../wire/card.ts';
import { Grant, GRANT_TTL_SECONDS, MAX_GRANT_TOKEN_LENGTH } from '../wire/grant.ts';

export class GrantTooLarge extends Error {
  constructor() {
    super(`The grant does not fit a token of ${MAX_GRANT_TOKEN_LENGTH} characters: use fewer or shorter patterns`);
    this.name = 'GrantTooLarge';
  }
}

export interface MintGrant {
  grantId: string;
  issuer: string;
  audience: string;
  bucket: string;
  mode: WorkspaceMode;
  allowPatterns?: readonly string[];
  denyPatterns?: readonly string[];
  outputsPrefix?: string | null;
  /** default 300 */
  ttlSeconds?: number;
  /** Epoch seconds; default: now. */
  issuedAt?: number;
  /** default: 128 random bits */
  nonce?: string;
}

/** Why a token is refused. The receiving side answers 403 and says no more than that it is not valid. */
type GrantFault = 'malformed' | 'bad_signature' | 'expired' | 'not_yet_valid' | 'wrong_audience';
export type GrantCheck = { ok: true; grant: Grant } | { ok: false; fault: GrantFault };

/** Clocks of two machines may differ by this much, seconds. */
export const LEEWAY_SECONDS = 30;
const KEY_BYTES = 32;
const MAC_BYTES = 32;

/** Prepared once for each key: that is most of the work of a short MAC. Keys are not changed in place. */
const prepared = new WeakMap<Uint8Array, KeyObject>();

/** The key of one audience, 32 bytes: HKDF-SHA256 of the platform's secret. */
export function grantKeyOf(platformSecret: Uint8Array, audience: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', platformSecret, 'svc/grant/v1', audience, KEY_BYTES));
}

/** A key as KeyObject has any length: those of people's own platforms. */
type GrantKey = Uint8Array | KeyObject;

export function mintGrant(input: MintGrant, key: GrantKey): { grant: Grant; token: string } {
  const issuedAt = input.issuedAt ?? Math.floor(Date.now() / 1000);
  const grant = Grant.parse({
    grant_id: input.grantId,
    issuer: input.issuer,
    audience: input.audience,
    bucket: input.bucket,
    mode: input.mode,
    allow_patterns: [...(input.allowPatterns ?? ['**'])],
    deny_patterns: [...(input.denyPatterns ?? [])],
    outputs_prefix: input.outputsPrefix ?? null,
    issued_at: issuedAt,
    expires_at: issuedAt + (input.ttlSeconds ?? GRANT_TTL_SECONDS),
    nonce: input.nonce ?? randomBytes(16).toString('base64url'),
  });
  return { grant, token: signGrant(grant, key) };
}

/** @throws GrantTooLarge */
export function signGrant(grant: Grant, key: GrantKey): string {
  const payload = toBase64Url(new TextEncoder().encode(canonicalJson(grant)));
  const token = `${payload}.${toBase64Url(macOf(payload, keyObject(key)))}`;
  if (token.length > MAX_GRANT_TOKEN_LENGTH) throw new GrantTooLarge();
  return token;
}

/** The unverified content of a token: only to find the key to check it with. */
export function readUncheckedGrant(token: string): Grant | undefined {
  if (token.length > MAX_GRANT_TOKEN_LENGTH) return undefined;
  const [payload, signature, ...more] = token.split('.');
  return payload && signature && more.length === 0 ? parseGrant(payload) : undefined;
}

/** Signature first, in constant time; then shape, time and audience. `now` in epoch seconds. */
export function checkGrant(token: string, key: GrantKey, { audience, now }: { audience: string; now: number }): GrantCheck {
  const refuse = (fault: GrantFault): GrantCheck => ({ ok: false, fault });
  if (token.length > MAX_GRANT_TOKEN_LENGTH) return refuse('malformed');
  const parts = token.split('.');
  const [payload, signature] = parts;
  if (parts.length !== 2 || !payload || !signature) return refuse('malformed');
  const given = fromBase64Url(signature);
  const secret = keyObject(key);
  if (given?.length !== MAC_BYTES || !timingSafeEqual(given, macOf(payload, secret))) return refuse('bad_signature');
  const grant = parseGrant(payload);
  if (!grant) return refuse('malformed');
  if (!(grant.expires_at > now)) return refuse('expired');
  if (grant.issued_at > now + LEEWAY_SECONDS) return refuse('not_yet_valid');
  if (grant.audience !== audience) return refuse('wrong_audience');
  return { ok: true, grant };
}

/**
 * Only the canonical text of a whole grant: nothing left to defaults, said twice, or written in another way.
 */
function parseGrant(payload: string): Grant | undefined {
  const bytes = fromBase64Url(payload);
  if (!bytes) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const grant = Grant.parse(JSON.parse(text));
    return canonicalJson(grant) === text ? grant : undefined;
  } catch {
    return undefined;
  }
}

function macOf(payload: string, key: KeyObject): Uint8Array {
  return createHmac('sha256', key).update(payload, 'utf8').digest();
}

function keyObject(key: GrantKey): KeyObject {
  if (key instanceof KeyObject) return key;
  const known = prepared.get(key);
  if (known) return known;
  // An empty key, for example from an unset variable, would let anyone sign.
  if (key.length !== KEY_BYTES) throw new Error(`a grant key has ${KEY_BYTES} bytes, not ${key.length}`);
  const made = createSecretKey(key);
  prepared.set(key, made);
  return made;
}
