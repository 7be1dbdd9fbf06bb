// Which paths an uploaded project may have, and that no two of them mean the same file on some machine.
import { withoutEnd } from '#contract/wire/trim.ts';
import type { SourceLimits } from './limits.ts';
import { refuse } from './refusals.ts';

const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 1024;
/** Characters that HFS+ ignores in names: ".g\u200cit" is ".git" there. */
const IGNORABLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/**
 * The path as it is stored: relative, no empty or "." segments. "" for the top folder itself. @throws
 * BadRequest
 */
export function safePath(raw: string, limits: SourceLimits): string {
  if (Buffer.byteLength(raw) > MAX_PATH_BYTES) throw refuse('source_bad_path', raw);
  if (raw.startsWith('/') || /^[A-Za-z]:/.test(raw)) throw refuse('source_path_escape', raw);
  const segments = raw.split('/').filter((segment) => segment !== '' && segment !== '.');
  // What the decoder could not read became U+FFFD.
  if (/[\p{Cc}\\\ufffd]/u.test(raw) || !raw.isWellFormed()) throw refuse('source_bad_path', raw);
  if (segments.includes('..')) throw refuse('source_path_escape', raw);
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_NAME_BYTES)) throw refuse('source_bad_path', raw);
  if (segments.some((segment) => isGitFolder(segment))) throw refuse('source_git_folder', raw);
  if (segments.length > limits.depth + 1) throw refuse('source_too_deep', raw, { limit: limits.depth });
  return segments.join('/');
}

function isGitFolder(segment: string): boolean {
  const plain = withoutEnd(segment.replace(IGNORABLE, '').toLowerCase(), '. ');
  return plain === '.git' || plain === 'git~1';
}

/** Remembers what is there; folders above a file count too. Bounded by `limits.entries`. */
export class PathRegister {
  readonly #limits: SourceLimits;
  readonly #folders = new Set<string>();
  /** Folded path → the path it stands for. */
  readonly #taken = new Map<string, string>();

  constructor(limits: SourceLimits) {
    this.#limits = limits;
  }

  /** @throws BadRequest */
  addFile(path: string): void {
    this.#addParents(path);
    this.#take(path);
  }

  /** True when it is new; the same folder again is fine: archives repeat them. @throws BadRequest */
  addFolder(path: string): boolean {
    if (path === '' || this.#folders.has(path)) return false;
    this.#addParents(path);
    this.#take(path);
    this.#folders.add(path);
    return true;
  }

  #addParents(path: string): void {
    const slash = path.lastIndexOf('/');
    if (slash > 0) this.addFolder(path.slice(0, slash));
  }

  #take(path: string): void {
    const folded = fold(path);
    if (this.#taken.has(folded)) throw refuse('source_duplicate_path', path, { same_as: this.#taken.get(folded) });
    if (this.#taken.size >= this.#limits.entries) throw refuse('source_too_many_files', undefined, { limit: this.#limits.entries });
    this.#taken.set(folded, path);
  }
}

/** Equal for names that a case-insensitive or normalising file system takes for one. */
function fold(path: string): string {
  return path.normalize('NFKC').replace(IGNORABLE, '').toUpperCase().toLowerCase().normalize('NFKC');
}
