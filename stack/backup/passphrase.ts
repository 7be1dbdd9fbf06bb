// What the operator remembers, and the keys that are made of it.
import { hkdfSync, randomBytes, scrypt, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';

const LEAST_LETTERS = 16;
const KEY_BYTES = 32;

/** How a key was made of the passphrase: a third of a second and 128 MiB for each guess. */
export const Derivation = z.object({ kdf: z.literal('scrypt'), n: z.int(), r: z.int(), p: z.int(), salt: z.base64() });
export type Derivation = z.infer<typeof Derivation>;

export const newDerivation = (): Derivation => ({ kdf: 'scrypt', n: 131_072, r: 8, p: 1, salt: randomBytes(16).toString('base64') });

/** @throws Error that says how to set it */
export function passphraseOf(env: Readonly<Record<string, string | undefined>>): string {
  const passphrase = env['SVC_BACKUP_PASSPHRASE'] ?? '';
  if (passphrase.length >= LEAST_LETTERS) return passphrase;
  throw new Error(
    `Set SVC_BACKUP_PASSPHRASE, ${LEAST_LETTERS} letters or more: backups are encrypted with it. Keep it apart from the backups: without it nobody restores them.`,
  );
}

export interface PassphraseKeys {
  /** Wraps the key of the backups' contents. */
  wrap: Buffer;
  /** Encrypts the installation's own keys. */
  secrets: Buffer;
}

export async function derive(passphrase: string, { n, r, p, salt }: Derivation): Promise<PassphraseKeys> {
  const root = await slow(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), KEY_BYTES, { N: n, r, p, maxmem: 256 * n * r });
  const purpose = (name: string): Buffer => Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), `svc/backup ${name}`, KEY_BYTES));
  return { wrap: purpose('wrap'), secrets: purpose('secrets') };
}

const slow = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
