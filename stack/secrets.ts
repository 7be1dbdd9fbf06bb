// Keys of this installation, made once, never printed.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeOnce } from './files.ts';

/**
 * `platform.key` protects what is stored; `local-login.key` lets the local user sign in without a browser. 32
 * bytes, base64url.
 */
export function ensureSecrets(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  for (const name of ['platform.key', 'local-login.key']) writeOnce(join(dir, name), randomBytes(32).toString('base64url'));
}
