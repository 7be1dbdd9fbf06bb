// What stands behind "?" in the address of a page. The router has read each value as JSON where it is some.

/** A text; absent where there is none. */
export function textIn(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** One of these, else absent. */
export function oneIn<T extends string>(all: readonly T[], value: unknown): T | undefined {
  return all.find((one) => one === value);
}

/** Without members that are undefined, so that the address does not name them. */
export function present<T extends object>(search: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return withoutAbsent<T>(Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)));
}

// Safe: only members that are undefined were left out.
function withoutAbsent<T extends object>(value: object): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return value as { [K in keyof T]?: Exclude<T[K], undefined> };
}
