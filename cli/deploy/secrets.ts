// What looks like a key in a folder that is to be uploaded: by a file's name, or by the content of a small file.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { secretIn } from '#contract/wire/secret-shapes.ts';
import { CliError } from '../errors.ts';

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\.(?:p12|pfx|jks|keystore|ppk|kdbx)$/i, 'a private key'],
  [/(?:^|\/)\.env(?:rc|[-_.](?!example$)[^/]*)?$|\.env$/i, 'settings with secrets'],
  [
    /(?:^|\/)(?:\.aws\/credentials|\.kube\/config|\.docker\/config\.json|application_default_credentials\.json|\.config\/gcloud\/.*|\.?azure\/(?:accessTokens|msal_token_cache|azureProfile)[^/]*|\.s3cfg|\.boto)$/,
    "a cloud's credentials",
  ],
  [/(?:^|\/)(?:\.git-credentials|\.netrc|\.pgpass|\.htpasswd)$/, 'passwords'],
  [/\.tfstate(?:\.backup)?$/, 'the state of Terraform, which holds secrets'],
];
const CONTENTS: readonly (readonly [RegExp, string])[] = [
  [/"type"\s*:\s*"service_account"[\s\S]*"private_key|"private_key[\s\S]*"type"\s*:\s*"service_account"/, "a cloud's credentials"],
  [/^\s*aws_secret_access_key\s*=\s*\S/im, "a cloud's credentials"],
  [/:_(?:authToken|auth|password)\s*=\s*(?!\s*["']?\$\{)\S/, 'a token of a package registry'],
];
/** Larger files are data. */
const MAX_BYTES = 256 * 1024;

export interface Secret {
  path: string;
  /** "a private key" */
  kind: string;
}

/** @param content where the file was read already */
export async function secretOf(folder: string, path: string, content?: Buffer): Promise<string | undefined> {
  const named = NAMES.find(([name]) => name.test(path));
  if (named) return named[1];
  if (content === undefined && (await stat(join(folder, path))).size > MAX_BYTES) return undefined;
  const bytes = content ?? (await readFile(join(folder, path)));
  if (bytes.length > MAX_BYTES || bytes.includes(0)) return undefined;
  const text = bytes.toString('utf8');
  const match = CONTENTS.find(([shape]) => shape.test(text));
  if (match) return match[1];
  const lines = text.split('\n');
  for (const at of lines.keys()) {
    const kind = secretIn(lines, at);
    if (kind !== undefined) return kind;
  }
  return undefined;
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
