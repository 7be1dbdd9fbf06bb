// Envelope encryption under a key file: every value has its own AES-256-GCM key, wrapped by a key of the
// file.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { CodesAmong } from '#contract/errors/index.ts';
import { fromBase64Url, toBase64Url } from '#contract/wire/base64url.ts';
import type { Vault } from './port.ts';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

class VaultError extends Error {
  readonly code: CodesAmong<'sealed_value_invalid' | 'key_file_invalid'>;
  constructor(code: VaultError['code'], message: string) {
    super(message);
    this.name = 'VaultError';
    this.code = code;
  }
}

/**
 * Reads the key file: one 32-byte key per line, base64url. The first line seals; all of them open, so a new
 * first line rotates without breaking what is stored. The last line is the root that `derive` uses, so
 * derived keys survive a rotation. A file that changes is read again, before the next value is sealed or when
 * a value's key is not known: processes that run follow a rotation.
 * @throws VaultError key_file_invalid
 */
export async function openKeyFile(path: string): Promise<Vault> {
  let seen = await stampOf(path);
  let vault = await readKeyFile(path);
  const root = Buffer.from(await vault.derive('the same root'));
  /** Resolves with whether there was something new. */
  async function follow(): Promise<boolean> {
    const now = await stampOf(path);
    if (now === seen) return false;
    const next = await readKeyFile(path);
    if (!root.equals(await next.derive('the same root')))
      throw new VaultError('key_file_invalid', `${path}: its last line is another key than before; put the old last line back`);
    seen = now;
    vault = next;
    return true;
  }
  return {
    async seal(plain, context) {
      await follow();
      return vault.seal(plain, context);
    },
    async open(sealed, context) {
      try {
        return await vault.open(sealed, context);
      } catch (error) {
        if (await follow()) return vault.open(sealed, context);
        throw error;
      }
    },
    currentPrefix: () => vault.currentPrefix(),
    derive: (purpose) => vault.derive(purpose),
  };
}

/** Another after every change: a rotation puts a new file in the place of the old one. */
async function stampOf(path: string): Promise<string> {
  const { mtimeNs, ino, size } = await stat(path, { bigint: true });
  return `${ino}:${mtimeNs}:${size}`;
}

async function readKeyFile(path: string): Promise<Vault> {
  const lines = (await readFile(path, 'utf8'))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return createVault(
    lines.map((line) => {
      const key = fromBase64Url(line);
      if (key?.length !== KEY_BYTES) throw new VaultError('key_file_invalid', `${path}: every line must be ${KEY_BYTES} bytes in base64url`);
      return key;
    }),
  );
}

/** A vault over the given 32-byte keys, newest first. @throws VaultError key_file_invalid */
export function createVault(keys: readonly Uint8Array[]): Vault {
  const [current] = keys;
  const root = keys.at(-1);
  if (!current || !root) throw new VaultError('key_file_invalid', 'a vault needs at least one key');
  const byId = new Map(keys.map((key) => [keyId(key), expand(key, 'svc vault wrap')]));
  const currentId = keyId(current);
  const rootKey = Buffer.from(root);

  return {
    async seal(plain, context) {
      const wrapper = byId.get(currentId);
      if (!wrapper) throw new VaultError('key_file_invalid', 'the current key is missing');
      const own = randomBytes(KEY_BYTES);
      const head = `${VERSION}.${currentId}`;
      const wrapped = encrypt(wrapper, own, `${head}\nkey\n${context}`);
      return `${head}.${toBase64Url(wrapped)}.${toBase64Url(encrypt(own, plain, `${head}\nvalue\n${context}`))}`;
    },
    async open(sealed, context) {
      const [version = '', id = '', wrapped = '', body = '', ...rest] = sealed.split('.');
      const wrapper = byId.get(id);
      const head = `${version}.${id}`;
      const wrappedBytes = fromBase64Url(wrapped);
      const bodyBytes = fromBase64Url(body);
      if (version !== VERSION || !wrapper || !wrappedBytes || !bodyBytes || rest.length > 0) throw unopenable();
      const own = decrypt(wrapper, wrappedBytes, `${head}\nkey\n${context}`);
      return decrypt(own, bodyBytes, `${head}\nvalue\n${context}`);
    },
    currentPrefix: () => `${VERSION}.${currentId}.`,
    derive: async (purpose) => expand(rootKey, `svc derive ${purpose}`),
  };
}

/** Names a key without telling anything of it. */
function keyId(key: Uint8Array): string {
  return createHash('sha256').update(expand(key, 'svc vault key id')).digest('hex').slice(0, 16);
}

function expand(key: Uint8Array, info: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), info, KEY_BYTES));
}

function encrypt(key: Uint8Array, plain: Uint8Array, context: string): Uint8Array {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Uint8Array, bytes: Uint8Array, context: string): Uint8Array {
  if (bytes.length < IV_BYTES + TAG_BYTES) throw unopenable();
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(end));
  try {
    return new Uint8Array(Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, end)), decipher.final()]));
  } catch {
    throw unopenable();
  }
}

function unopenable(): VaultError {
  return new VaultError('sealed_value_invalid', 'the sealed value was altered, belongs elsewhere, or its key is gone');
}
