// How an error code is declared: once, with its status, what it means and what to do.
import type { ErrorStatus } from '../kit.ts';

export interface ErrorEntry {
  /**
   * Of the answer that carries it; null: it never is the code of an answer, but of how something ended, or
   * between our programs.
   */
  status: ErrorStatus | 408 | 431 | 499 | 501 | null;
  meaning: string;
  remedy: string;
}

/** Keeps every literal type. */
export function errors<const E extends Record<string, ErrorEntry>>(entries: E): E {
  return entries;
}

// Safe: these are all own names of the object, and it has at least one.
export function namesOf<E extends Record<string, ErrorEntry>>(entries: E): [keyof E & string, ...(keyof E & string)[]] {
  return Object.keys(entries) as [keyof E & string, ...(keyof E & string)[]];
}
