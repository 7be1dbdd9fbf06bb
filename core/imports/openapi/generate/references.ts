// `$ref`: JSON Pointers into the document itself. What points elsewhere is not fetched.
import { atReference, referenceSteps } from '#contract/wire/json-pointer.ts';
import { isJsonObject, type Json } from './document.ts';

const MAX_HOPS = 16;

/**
 * The object itself, or the one that its `$ref` leads to, through others too; undefined where there is none.
 */
export function resolved(document: Json, value: unknown): Json | undefined {
  let current = value;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    if (!isJsonObject(current)) return undefined;
    const { $ref: pointer } = current;
    if (typeof pointer !== 'string') return current;
    current = atReference(document, pointer);
  }
  return undefined;
}

/** The last part of a reference, as a person would name what it leads to. */
export function lastPart(reference: string): string {
  return referenceSteps(reference)?.at(-1) ?? reference.slice(reference.lastIndexOf('/') + 1);
}
