// Names that are likely to hold secrets. Of files: a run gets such files only after a person has said yes.
// The platform and a laptop use the same list.
import { matcher } from './patterns.ts';

const NAMES = ['.env*', '*.pem', '*.key', '*.p12', '*.pfx', '*.kdbx', 'id_*', 'credentials*'];
const DOT_FILES = ['.netrc', '.npmrc', '.pypirc', '.pgpass', '.htpasswd', '.git-credentials'];
const FOLDERS = ['secrets', '.secrets', '.git', '.ssh', '.aws', '.gnupg', '.kube', '.docker'];

const everywhere = (names: readonly string[]): string[] => names.map((name) => `**/${name}`);
const below = (folders: readonly string[]): string[] => folders.map((folder) => `**/${folder}/**`);
const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const LOWER = [...everywhere([...NAMES, ...DOT_FILES]), ...below(FOLDERS)];

/**
 * Deny patterns, at every depth. A pattern minds the case of letters, so what people write in another case is
 * there twice.
 */
export const SENSITIVE: readonly string[] = [
  ...LOWER,
  ...everywhere([...NAMES.map((name) => name.toUpperCase()), capitalised('credentials*')]),
  ...below(['SECRETS', capitalised('secrets')]),
];

const SECRET =
  /(?:^|[._-])(?:\w*(?:secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|credential|authorization|cookie)|(?:\w+[_-])?token)s?$/i;

/** A setting, header or attribute of this name is likely to have a secret as its value. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

const matches = matcher(LOWER);

/**
 * In whatever case and width. Also for patterns: whether what is written in it names such a file outright,
 * `config/.env*` as well as `config/.env`.
 */
export function isSensitive(pathOrPattern: string): boolean {
  const plain = pathOrPattern.normalize('NFKC').toLowerCase().normalize('NFC');
  return matches(plain) || matches(plain.replaceAll(/\*+|\?/g, 'x'));
}
