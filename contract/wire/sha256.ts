// SHA-256 as browsers have it (Web Crypto). Where many are made at a server: ../crypto/sha256.ts.
import { canonicalJson } from './canonical.ts';
import { webCrypto } from './secure-context.ts';

/** SHA-256 of the canonical text, 64 hexadecimal characters. */
export async function canonicalDigest(value: unknown): Promise<string> {
  return digestOf(new TextEncoder().encode(canonicalJson(value)));
}

/** 64 hexadecimal characters. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  const digest = await webCrypto().digest('SHA-256', new Uint8Array(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
