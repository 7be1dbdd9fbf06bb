// Reading of what stands behind "?" in an address: anything may stand there.
type Search = Record<string, unknown>;

/** A text of bounded length; numbers as text, for the router reads "1" as a number. */
export function text(search: Search, name: string, max = 200): string | undefined {
  const value = search[name];
  const word = typeof value === 'number' ? String(value) : value;
  return typeof word === 'string' && word !== '' ? word.slice(0, max) : undefined;
}

export function oneOf<const T extends string>(search: Search, name: string, words: readonly T[]): T | undefined {
  const value = search[name];
  return words.find((word) => word === value);
}

export function number(search: Search, name: string): number | undefined {
  const value = search[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Only where it is true: a false switch does not stand in an address. */
export function flag(search: Search, name: string): true | undefined {
  return search[name] === true ? true : undefined;
}

/** Short words, each once: the kinds of a filter. */
export function list(search: Search, name: string, max = 30): string[] | undefined {
  const value = search[name];
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string' && word.length <= 80) : [];
  return words.length > 0 ? [...new Set<string>(words)].slice(0, max) : undefined;
}
