// `$ref`: JSON Pointers into the document itself. What points elsewhere is not fetched.
import { isObject, type Json } from './document.ts';

const MAX_HOPS = 16;

/** What a pointer (`#/components/schemas/Pet`) leads to; undefined where there is nothing. */
export function lookUp(document: Json, pointer: string): unknown {
  if (!pointer.startsWith('#')) return undefined;
  let found: unknown = document;
  for (const part of pointer.slice(1).split('/').slice(1)) {
    if (typeof found !== 'object' || found === null) return undefined;
    const name = unescape(part);
    if (!Object.hasOwn(found, name)) return undefined;
    found = memberOf(found, name);
  }
  return found;
}

/** The object itself, or the one that its `$ref` leads to, through others too; undefined where there is none. */
export function resolved(document: Json, value: unknown): Json | undefined {
  let found = value;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    if (!isObject(found)) return undefined;
    const { $ref: pointer } = found;
    if (typeof pointer !== 'string') return found;
    found = lookUp(document, pointer);
  }
  return undefined;
}

/** The last part of a pointer, as a person would name what it leads to. */
export function lastPart(pointer: string): string {
  return unescape(pointer.slice(pointer.lastIndexOf('/') + 1));
}

function unescape(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // A percent sign that is no escape.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

// Safe: objects and lists both have members by name.
function memberOf(value: object, name: string): unknown {
  return (value as Json)[name];
}
