// Strict base64url (RFC 4648 §5, no padding): one text per byte string, so that a token cannot be altered and
// still decode alike.

/** Where there is one, it takes a hundredth of the time: a receipt may name thousands of files. */
const native = typeof Buffer === 'undefined' ? undefined : Buffer;

/** So many arguments a call takes on every engine. */
const CHUNK = 8192;

export function toBase64Url(bytes: Uint8Array): string {
  return native ? native.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url') : encoded(bytes);
}

/** Exported for its test: where there is no Buffer. */
export function encoded(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** By character code: its six bits; NONE: no character of the alphabet. */
const NONE = 255;
const VALUES = new Uint8Array(128).fill(NONE);
for (let value = 0; value < ALPHABET.length; value += 1) VALUES[ALPHABET.charCodeAt(value)] = value;

/** The bytes, or undefined when the text is not the one canonical encoding of any. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (!native) return decoded(text);
  const bytes = native.from(text, 'base64url');
  // It reads over what is no character of the alphabet.
  return bytes.toString('base64url') === text ? new Uint8Array(bytes) : undefined;
}

/** As `encoded`. */
export function decoded(text: string): Uint8Array | undefined {
  // One character more than whole groups encodes no byte.
  if (text.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let [held, bits, at] = [0, 0, 0];
  for (let n = 0; n < text.length; n += 1) {
    const value = VALUES[text.charCodeAt(n)] ?? NONE;
    if (value === NONE) return undefined;
    held = (held << 6) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = held >> bits;
    held &= (1 << bits) - 1;
    at += 1;
  }
  // Bits that make no byte are zero, or a second text would decode alike.
  return held === 0 ? bytes : undefined;
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
