// Ed25519 by Node, for statements with very many receipts: it takes a twentieth of the time that JavaScript
// takes, and beside it, on the other cores.
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { StatementKey } from '#contract/wire/statement-check.ts';

/** Before the 32 bytes of an Ed25519 key in SPKI (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const known = new Map<string, KeyObject>();

const verifyBeside = promisify(verify);

export function verifySignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): Promise<boolean> {
  const id = Buffer.from(publicKey).toString('base64');
  const key = known.get(id) ?? createPublicKey({ key: Buffer.concat([SPKI_HEAD, publicKey]), format: 'der', type: 'spki' });
  known.set(id, key);
  return verifyBeside(null, message, key, signature);
}

export const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

interface Published {
  kid: string;
  public_key: string;
  not_before: string;
  not_after: string;
}

/** As the platform publishes them, by their ids. */
export function keyRing(keys: readonly Published[]): (kid: string) => StatementKey | undefined {
  const ring = new Map(keys.map((key) => [key.kid, key]));
  return (kid) => {
    const key = ring.get(kid);
    const bytes = new Uint8Array(Buffer.from(key?.public_key ?? '', 'base64'));
    if (!key || bytes.length !== 32) return undefined;
    return { bytes, notBefore: Date.parse(key.not_before), notAfter: Date.parse(key.not_after) };
  };
}
