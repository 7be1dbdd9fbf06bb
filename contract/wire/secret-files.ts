// What looks like a key among the files of a project: by a file's name, or by the content of a small file.
// The tool looks before an upload, and so does the page.
import { secretIn } from './secret-shapes.ts';

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
export const MOST_KEY_BYTES = 256 * 1024;

/** What secret such a file is: "a private key". Undefined: none that is known. */
export function secretByName(path: string): string | undefined {
  return NAMES.find(([name]) => name.test(path))?.[1];
}

export function secretByContent(bytes: Uint8Array): string | undefined {
  if (bytes.length > MOST_KEY_BYTES || bytes.includes(0)) return undefined;
  const text = new TextDecoder().decode(bytes);
  const match = CONTENTS.find(([shape]) => shape.test(text));
  if (match) return match[1];
  const lines = text.split('\n');
  for (const at of lines.keys()) {
    const kind = secretIn(lines, at);
    if (kind !== undefined) return kind;
  }
  return undefined;
}
