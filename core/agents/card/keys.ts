// The keys that sign agents' cards: ES256, which every verifier of A2A cards takes. One for each quarter of a
// year, derived from the vault's key, so that all processes have the same and none is stored.
import { createECDH, createHash } from 'node:crypto';
import type { Vault } from '#drivers/vault/port.ts';

export interface PublicCardKey {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  kid: string;
  alg: 'ES256';
  use: 'sig';
}

export interface CardKey {
  publicJwk: PublicCardKey;
  /** The private scalar, base64url. */
  d: string;
}

/** The key that signs now. */
export function cardKey(vault: Vault, now: number): Promise<CardKey> {
  return keyOf(vault, quarterOf(now));
}

/** This quarter's and the last one's, whose cards may still be held somewhere. */
export async function publishedCardKeys(vault: Vault, now: number): Promise<{ keys: PublicCardKey[] }> {
  const at = new Date(now);
  const before = Date.UTC(at.getUTCFullYear(), Math.floor(at.getUTCMonth() / 3) * 3) - 1;
  const keys = await Promise.all([now, before].map((time) => keyOf(vault, quarterOf(time))));
  return { keys: keys.map(({ publicJwk }) => publicJwk) };
}

function quarterOf(now: number): string {
  const at = new Date(now);
  return `${at.getUTCFullYear()}q${Math.floor(at.getUTCMonth() / 3) + 1}`;
}

const known = new WeakMap<Vault, Map<string, CardKey>>();

async function keyOf(vault: Vault, quarter: string): Promise<CardKey> {
  const keys = known.get(vault) ?? new Map<string, CardKey>();
  known.set(vault, keys);
  const key = keys.get(quarter) ?? derived(await vault.derive(`agent-cards/${quarter}`), quarter);
  keys.set(quarter, key);
  return key;
}

function derived(d: Uint8Array, quarter: string): CardKey {
  const curve = createECDH('prime256v1');
  // Not every 32 bytes are a scalar of the curve; all but one in 2^32 are, and then this throws.
  curve.setPrivateKey(Buffer.from(d));
  const point = curve.getPublicKey();
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33, 65).toString('base64url')];
  const kid = `card-${quarter}-${createHash('sha256').update(point).digest('base64url').slice(0, 16)}`;
  return { publicJwk: { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' }, d: Buffer.from(d).toString('base64url') };
}
