// What stands behind "?" in the address of a page. The router has read each value as JSON where it is some.

/**
 * A text of bounded length; absent where there is none. Numbers as text, for the router reads "1" as a
 * number.
 */
export function textIn(value: unknown, max = 500): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text.slice(0, max) : undefined;
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Only where it is true: a false switch does not stand in an address. */
export function flagIn(value: unknown): true | undefined {
  return value === true ? true : undefined;
}

/** Short words, each once: the kinds of a filter. */
export function wordsIn(value: unknown, max = 30): string[] | undefined {
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string' && word.length <= 80) : [];
  return words.length > 0 ? [...new Set<string>(words)].slice(0, max) : undefined;
}

/** One of these, else absent. */
export function oneIn<T extends string>(all: readonly T[], value: unknown): T | undefined {
  return all.find((one) => one === value);
}

/** Without members that are undefined, so that the address does not name them. */
export function present<T extends object>(search: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return withoutAbsent<T>(Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)));
}

/** Without empty fields, too: what a page's fields are set to, as the address of their results. */
export function filled<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return withoutAbsent<T>(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')));
}

// Safe: members may only be absent.
function withoutAbsent<T extends object>(value: object): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return value as { [K in keyof T]?: Exclude<T[K], undefined> };
}
