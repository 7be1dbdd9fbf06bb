// Canonical JSON (RFC 8785): one byte string per JSON value, so that hashes and signatures agree between
// languages.

export class CanonicalJsonError extends Error {
  readonly code = 'not_canonical_json';
  constructor(message: string) {
    super(message);
    this.name = 'CanonicalJsonError';
  }
}

export const MAX_CANONICAL_DEPTH = 256;

/**
 * The canonical text of a JSON value. Members whose value is undefined are left out, as JSON.stringify does.
 * @throws CanonicalJsonError for what JSON cannot say: NaN, bigint, lone surrogates, class instances, cycles,
 * depth over 256.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_CANONICAL_DEPTH) throw new CanonicalJsonError(`nested deeper than ${MAX_CANONICAL_DEPTH} levels, or a cycle`);
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      // ECMAScript's own number form is the one RFC 8785 prescribes.
      if (!Number.isFinite(value)) throw new CanonicalJsonError(`${value} is not a JSON number`);
      return JSON.stringify(value);
    case 'string':
      return text(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? list(value, depth) : object(value, depth);
    default:
      throw new CanonicalJsonError(`a ${typeof value} is not a JSON value`);
  }
}

function text(value: string): string {
  if (!value.isWellFormed()) throw new CanonicalJsonError('a string holds a lone surrogate');
  return JSON.stringify(value);
}

function list(value: readonly unknown[], depth: number): string {
  return `[${Array.from(value, (item) => write(item, depth + 1)).join(',')}]`;
}

function object(value: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new CanonicalJsonError(`an instance of ${value.constructor?.name ?? 'a class'} is not a JSON value`);
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // Code-unit order, as the RFC says; localeCompare would differ.
  members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([key, member]) => `${text(key)}:${write(member, depth + 1)}`).join(',')}}`;
}
