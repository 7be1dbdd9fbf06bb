// The installation that is backed up, or checked where it runs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { keyFingerprint } from '#core/platform/installation/key.ts';
import { s3Configuration, storageVariables } from '#drivers/storage/environment.ts';
import { openStorage } from '#drivers/storage/open.ts';
import type { ListedStorage } from '#drivers/storage/port.ts';
import { openKeyFile } from '#drivers/vault/key-file.ts';
import type { Vault } from '#drivers/vault/port.ts';

interface InstallationFolders {
  stateDir: string;
  cacheDir: string;
  secretsDir: string;
}

export interface Source extends InstallationFolders {
  databaseUrl: string;
  /** Whether that is the server which svc started. */
  ownDatabase: boolean;
  storage: ListedStorage;
  vault: Vault;
  /** Fingerprint of platform.key. */
  installation: string;
}

/** What STORAGE_URL names, or the folder. */
export function openFiles(env: Readonly<Record<string, string | undefined>>, root: string, scratchDir: string): Promise<ListedStorage> {
  return openStorage(s3Configuration(z.object(storageVariables).parse(env)), { root, scratchDir });
}

/** @throws Error where the folder holds no installation */
export async function openInstallationKey(secretsDir: string): Promise<{ vault: Vault; installation: string }> {
  const path = join(secretsDir, 'platform.key');
  if (!existsSync(path)) throw new Error(`There is no installation here: ${path} does not exist. Set SVC_STATE_DIR to the one that is meant.`);
  const vault = await openKeyFile(path);
  return { vault, installation: await keyFingerprint(vault) };
}
