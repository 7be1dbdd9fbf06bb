// Keyset pagination: a cursor is the sort key of the last row seen, so page n costs what page 1 costs.
import { textFromBase64Url } from '#contract/wire/base64url.ts';
import { BadRequest } from './errors.ts';

export interface Page<T> {
  items: T[];
  /** Opaque; absent on the last page. */
  next_cursor: string | null;
}

export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** `int32`: of a column of that size, which PostgreSQL compares with nothing larger. */
type KeyPart = { string: string; number: number; int32: number };
type KeyShape = readonly (keyof KeyPart)[];
type KeyOf<S extends KeyShape> = { -readonly [I in keyof S]: KeyPart[S[I]] };

/**
 * The sort key in a cursor: its parts' types, or how many there are. @throws BadRequest when the cursor was
 * not made by encodeCursor for such a key.
 */
export function decodeCursor(cursor: string, length: number): (string | number)[];
export function decodeCursor<const S extends KeyShape>(cursor: string, shape: S): KeyOf<S>;
export function decodeCursor(cursor: string, shape: number | KeyShape): (string | number)[] {
  const length = typeof shape === 'number' ? shape : shape.length;
  const fits = (part: unknown, at: number): part is string | number => {
    const kind = typeof shape === 'number' ? typeof part : shape[at];
    if (typeof part === 'number') return kind === 'int32' ? isInt32(part) : kind === 'number' && Number.isSafeInteger(part);
    // U+0000 and lone surrogates are in no sort key, and PostgreSQL refuses them.
    return typeof part === 'string' && part.isWellFormed() && !part.includes('\0') && kind === 'string';
  };
  try {
    const key: unknown = JSON.parse(textFromBase64Url(cursor) ?? '');
    if (Array.isArray(key) && key.length === length && key.every(fits)) return key;
  } catch {
    // fall through
  }
  throw new BadRequest('bad_cursor', 'cursor is not valid: take it from the previous page, unchanged');
}

function isInt32(part: number): boolean {
  return (part | 0) === part;
}

/** Cuts `limit + 1` rows fetched down to a page. */
export function toPage<R, T>(rows: readonly R[], limit: number, present: (row: R) => T, key: (row: R) => (string | number)[]): Page<T> {
  const pageRows = rows.slice(0, limit);
  const last = pageRows.at(-1);
  return { items: pageRows.map(present), next_cursor: rows.length > limit && last ? encodeCursor(key(last)) : null };
}

/** Of an answer that is made in one step. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * How many of the first rows a page takes: `limit` at most, and as many as are not too large together; at
 * least one.
 */
export function fitting(rows: readonly { bytes: number }[], limit: number): number {
  let left = MAX_PAGE_BYTES;
  const end = rows.slice(0, limit).findIndex(({ bytes }) => (left -= bytes) < 0);
  return end === -1 ? Math.min(limit, rows.length) : Math.max(1, end);
}
