// What addresses of an owner's pages may say. Anything else is left out, not refused.
type Search = Record<string, unknown>;

const MAX_TEXT = 500;

/** A text of the address; numbers are texts too, where a person typed them. */
export function textIn(search: Search, name: string): string | undefined {
  const value = search[name];
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text.slice(0, MAX_TEXT) : undefined;
}

/** One of some words. */
export function oneIn<const T extends string>(search: Search, name: string, words: readonly T[]): T | undefined {
  return words.find((word) => word === search[name]);
}

/** Without members that say nothing. */
export function present<T extends object>(search: T): Partial<{ [K in keyof T]: NonNullable<T[K]> }> {
  // Safe: only members that are undefined are left out.
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as Partial<{ [K in keyof T]: NonNullable<T[K]> }>;
}
