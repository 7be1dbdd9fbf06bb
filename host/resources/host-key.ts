// The host's own key: what it keeps of agents' secrets is sealed with it. Made at the first start, in the
// folder of the installation's keys.
import { randomBytes } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openKeyFile } from '#drivers/vault/key-file.ts';
import type { Vault } from '#drivers/vault/port.ts';

export async function openHostKey(path: string): Promise<Vault> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // The first one stays: another key would open nothing that is there.
    await link(draft, path).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return openKeyFile(path);
}
