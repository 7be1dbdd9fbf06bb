// AES-256-GCM over a whole buffer. A random nonce is safe for 2^32 buffers of a key: 32 PiB of our chunks.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** `context`: what the buffer is; it opens as nothing else. */
export function encryptBytes(key: Buffer, plain: Uint8Array, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined: another key, another context, or altered. */
export function decryptBytes(key: Buffer, encrypted: Buffer, context: string): Buffer | undefined {
  if (encrypted.length < IV_BYTES + TAG_BYTES) return undefined;
  const end = encrypted.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(encrypted.subarray(end));
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(IV_BYTES, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}
