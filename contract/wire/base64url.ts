// Strict base64url (RFC 4648 §5, no padding): one text per byte string, so that a token cannot be altered and still decode alike.

export function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

/** The bytes, or undefined when the text is not the one canonical encoding of any. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? new Uint8Array(bytes) : undefined;
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
