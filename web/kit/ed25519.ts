// Ed25519 as RFC 8032 says, so that every verifier agrees.
import { webCrypto } from '#contract/wire/secure-context.ts';

/**
 * By the browser itself, beside the page's own thread; where it does not know these keys, by a library, which
 * hashes by the browser as well.
 * @throws on plain http, where the browser has neither: that nothing was checked is no verdict
 */
export async function verifySignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): Promise<boolean> {
  const subtle = webCrypto();
  const key = await imported(subtle, publicKey);
  if (key) return subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(message));
  const { verifyAsync } = await import('@noble/ed25519');
  return verifyAsync(signature, message, publicKey, { zip215: false }).catch(() => false);
}

async function imported(subtle: ReturnType<typeof webCrypto>, publicKey: Uint8Array) {
  try {
    return await subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']);
  } catch {
    return undefined;
  }
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
