// Ed25519 as RFC 8032 says, so that every verifier agrees.
import { verifyAsync } from '@noble/ed25519';

export function verifySignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): Promise<boolean> {
  return verifyAsync(signature, message, publicKey, { zip215: false }).catch(() => false);
}

/** 32 bytes of standard base64; undefined for anything else. */
export function keyBytes(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    return bytes.length === 32 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
