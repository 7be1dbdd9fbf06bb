// Names that are likely to hold secrets: nobody is handed them without a person having said so.
import { matcher } from '../../../contract/wire/patterns.ts';

const NAMES = ['.env*', '*.pem', '*.key', '*.p12', '*.pfx', 'id_*', '.netrc', '.npmrc', '.pypirc', '*.kdbx', 'credentials*'];
const FOLDERS = ['.git', '.ssh', '.aws', '.gnupg', 'secrets', '.secrets'];

/** Deny patterns, at every depth. */
export const SENSITIVE: readonly string[] = [...NAMES.map((name) => `**/${name}`), ...FOLDERS.map((folder) => `**/${folder}/**`)];

const matches = matcher(SENSITIVE);

/** Also for patterns: whether what is written in it names such a file outright, `config/.env*` as well as `config/.env`. */
export function isSensitive(pathOrPattern: string): boolean {
  return matches(pathOrPattern) || matches(pathOrPattern.replaceAll(/\*+|\?/g, 'x'));
}
