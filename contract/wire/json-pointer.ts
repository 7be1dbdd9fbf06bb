// JSON Pointers (RFC 6901), the only reader of them: as text (`/a~1b/0`), and as the fragment of a reference
// (`#/%24defs/a`), which is percent-decoded first. Own members only: what strangers wrote may be named
// `constructor`. Ours, since kept libraries read inherited members or no fragments.

/** Undefined: it is none. */
export function pointerSteps(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Of `#` and `#/…`; undefined: the reference names an anchor, or another document. A percent sign that begins
 * no escape stands for itself.
 */
export function referenceSteps(reference: string): string[] | undefined {
  return reference.startsWith('#') ? pointerSteps(reference.slice(1).replaceAll(/(?:%[0-9a-f]{2})+/gi, decoded)) : undefined;
}

export const pointerTo = (steps: readonly (string | number)[]): string =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Undefined: nothing is there. */
export function atSteps(value: unknown, steps: readonly string[] | undefined): unknown {
  if (steps === undefined) return undefined;
  let at = value;
  for (const step of steps) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    if (Array.isArray(at) && !/^(?:0|[1-9]\d*)$/.test(step)) return undefined;
    at = memberOf(at, step);
  }
  return at;
}

export const atPointer = (value: unknown, pointer: string): unknown => atSteps(value, pointerSteps(pointer));
export const atReference = (document: unknown, reference: string): unknown => atSteps(document, referenceSteps(reference));

function decoded(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes; // no UTF-8
  }
}

// Safe: objects and lists both have members by name.
function memberOf(value: object, name: string): unknown {
  return (value as Record<string, unknown>)[name];
}
