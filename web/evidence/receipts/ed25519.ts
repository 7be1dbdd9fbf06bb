// Ed25519 as RFC 8032 says, so that every verifier agrees.

/** By the browser itself, beside the page's own thread; where it does not know these keys, or on plain http, by a library. */
export async function verifySignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): Promise<boolean> {
  const key = await imported(publicKey);
  if (key) return crypto.subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(message));
  const { verifyAsync } = await import('@noble/ed25519');
  return verifyAsync(signature, message, publicKey, { zip215: false }).catch(() => false);
}

async function imported(publicKey: Uint8Array) {
  try {
    return await crypto.subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']);
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

export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
