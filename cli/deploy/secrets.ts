// What looks like a key in a folder that is to be uploaded.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MOST_KEY_BYTES, secretByContent, secretByName } from '#contract/wire/secret-files.ts';
import { CliError } from '../lib/errors.ts';

export interface Secret {
  path: string;
  /** "a private key" */
  kind: string;
}

/** @param content where the file was read already */
export async function secretOf(folder: string, path: string, content?: Buffer): Promise<string | undefined> {
  const named = secretByName(path);
  if (named !== undefined) return named;
  if (content === undefined && (await stat(join(folder, path))).size > MOST_KEY_BYTES) return undefined;
  return secretByContent(content ?? (await readFile(join(folder, path))));
}

/** @throws CliError that names each file */
export async function refuseSecrets(folder: string, files: readonly string[]): Promise<void> {
  const secrets: Secret[] = [];
  for (const path of files) {
    const kind = await secretOf(folder, path);
    if (kind !== undefined) secrets.push({ path, kind });
  }
  if (secrets.length > 0) throw secretsRefused(secrets);
}

export function secretsRefused(found: readonly Secret[]): CliError {
  const lines = found.slice(0, 20).map(({ path, kind }) => `  ${path}: ${kind}`);
  if (found.length > 20) lines.push(`  and ${found.length - 20} more`);
  return new CliError(
    `Nothing was uploaded. These files look like secrets:\n${lines.join('\n')}\nName them in .gitignore or .svcignore, and store values with svc secrets set. If they are not secrets: --allow-secrets`,
  );
}
