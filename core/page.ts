// Keyset pagination: a cursor is the sort key of the last row seen, so page n costs what page 1 costs.
import { BadRequest } from './errors.ts';

export interface Page<T> {
  items: T[];
  /** Opaque; absent on the last page. */
  next_cursor: string | null;
}

export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** Throws BadRequest when the cursor was not made by encodeCursor for a key of this length. */
export function decodeCursor(cursor: string, length: number): (string | number)[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(key) && key.length === length && key.every((k) => typeof k === 'string' || typeof k === 'number')) return key;
  } catch {
    // fall through
  }
  throw new BadRequest('bad_cursor', 'cursor is not valid: take it from the previous page, unchanged');
}

/** Cuts `limit + 1` rows fetched down to a page. */
export function toPage<R, T>(rows: readonly R[], limit: number, present: (row: R) => T, key: (row: R) => (string | number)[]): Page<T> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  return { items: kept.map(present), next_cursor: rows.length > limit && last ? encodeCursor(key(last)) : null };
}
