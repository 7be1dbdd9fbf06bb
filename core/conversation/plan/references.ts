// The whole string `"$1.result.summary"` stands for the result of step 1. `$$1.result` is the plain string
// `$1.result`. Pure.

export interface Reference {
  step: number;
  /** Names and positions below the result. */
  path: readonly string[];
}

const pattern = /^\$(\d{1,4})\.result((?:\.[^.]+)*)$/;
const maxDepth = 64;

export function referenceOf(text: string): Reference | undefined {
  const [, step, path = ''] = pattern.exec(text) ?? [];
  return step === undefined ? undefined : { step: Number(step), path: path.split('.').slice(1) };
}

/** Steps that these arguments need, each once, ascending. */
export function stepsNeeded(args: unknown): number[] {
  const needed = new Set<number>();
  walk(args, (reference) => void needed.add(reference.step));
  return [...needed].sort((a, b) => a - b);
}

/** Where in the arguments they stand. */
export function referencePaths(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value === 'string') return referenceOf(value) ? [[...at]] : [];
  if (typeof value !== 'object' || value === null || at.length > maxDepth) return [];
  return Object.entries(value).flatMap(([name, member]) => referencePaths(member, [...at, name]));
}

/** Escapes strings that look like references, so that they stay strings. */
export function escapeReferences(args: object): Record<string, unknown> {
  // Safe: an object is written, and read again.
  return JSON.parse(JSON.stringify(args, (_name, value: unknown) => (typeof value === 'string' ? escapedText(value) : value))) as Record<string, unknown>;
}

export function escapedText(text: string): string {
  return looksLikeOne(text) ? `$${text}` : text;
}

/** The arguments with every reference replaced; a member that a result lacks is left out. */
export function resolveArgs(args: unknown, resultOf: (step: number) => unknown): { args: unknown; missing: string[] } {
  const missing: string[] = [];
  const resolved = walk(args, ({ step, path }, text) => {
    let value = resultOf(step);
    for (const name of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
        missing.push(text);
        return null;
      }
      value = Reflect.get(value, name);
    }
    return value ?? null;
  });
  return { args: resolved, missing };
}

/** A reference, escaped or not. */
function looksLikeOne(text: string): boolean {
  return referenceOf(text.replace(/^\$+/, () => '$')) !== undefined;
}

function walk(value: unknown, replace: (reference: Reference, text: string) => unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    const reference = referenceOf(value);
    if (reference) return replace(reference, value);
    return looksLikeOne(value) ? value.slice(1) : value;
  }
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item) => walk(item, replace, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member, replace, depth + 1)]));
}
