// Takes secrets out of text that leaves the machine: known values, and what has the form of one.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../files.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const HIDDEN = '[redacted]';
/** Shorter ones would hide ordinary words. */
const LEAST_LETTERS = 8;
const SECRET_NAME = /SECRET|PASSWORD|PASSPHRASE|TOKEN|_KEY(?:$|_ID$)|HEADERS|CREDENTIAL/;
/** Also without a secret name: the password of a URL. */
const URL_PASSWORD = /([a-z][a-z0-9+.-]*:\/\/[^/\s:@]*):[^/\s@]+@/gi;
const FORMS = [
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /\b(?:sk|rk|whsec|svc|ghp|xox[abp])[_-][A-Za-z0-9_-]{16,}/g,
  /\bBearer\s+[\w.~+/-]{8,}=*/gi,
  /\bBasic\s+[A-Za-z0-9+/]{8,}=*/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
] as const;

/** @param secretsDir every line of every file in it is a secret */
export function redactor(env: Variables, secretsDir: string): (text: string) => string {
  const values = [...valuesOf(env), ...linesIn(secretsDir)].filter((value) => value.length >= LEAST_LETTERS).toSorted((a, b) => b.length - a.length);
  return (text) => {
    const known = values.reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
    return FORMS.reduce((rest, form) => rest.replace(form, HIDDEN), known.replace(URL_PASSWORD, `$1:${HIDDEN}@`));
  };
}

/** Whether the name says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

function valuesOf(env: Variables): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const { password = '' } = URL.parse(value) ?? {};
    return [
      ...(password === '' ? [] : [password, decodeURIComponent(password)]),
      ...(isSecretName(name) ? [value, ...value.split(',').map((one) => one.trim())] : []),
    ];
  });
}

function linesIn(dir: string): string[] {
  try {
    return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? (readText(join(dir, entry.name)) ?? '').split('\n').map((line) => line.trim()) : [],
    );
  } catch {
    // It does not exist yet, or is another user's: then this process cannot write of it either.
    return [];
  }
}
