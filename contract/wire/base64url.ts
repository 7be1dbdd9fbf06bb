// Strict base64url (RFC 4648 §5, no padding): one text per byte string, so that a token cannot be altered and still decode alike.

/** So many arguments a call takes on every engine. */
const CHUNK = 8192;

export function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The bytes, or undefined when the text is not the one canonical encoding of any. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  // One character more than whole groups encodes no byte.
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  return toBase64Url(bytes) === text ? bytes : undefined;
}

/** The same for text; undefined also when the bytes are not UTF-8. */
export function textFromBase64Url(text: string): string | undefined {
  try {
    return UTF8.decode(fromBase64Url(text) ?? NOT_UTF8);
  } catch {
    return undefined;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const NOT_UTF8 = Uint8Array.of(0xff);
