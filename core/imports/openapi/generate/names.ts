// Names of skills and arguments: valid everywhere, and the same whenever the description is read again.
import { createHash } from 'node:crypto';
import { ANSWER_TOOL } from '#contract/wire/names.ts';

const MAX_NAME = 56;

export interface Nameable {
  method: string;
  path: string;
  operationId: string | undefined;
}

const TAKEN = new Set([ANSWER_TOOL, 'search_operations', 'describe_operation', 'call_operation']);

/**
 * One name for each, in their order. A name depends on the operation and on those that would have the same.
 */
export function operationNames(operations: readonly Nameable[]): string[] {
  const plain = operations.map((one) => baseName(one));
  const withPath = changeDoubles(plain, (i) => joined(plain[i] ?? '', words(firstSegment(at(operations, i).path))));
  // Of two operations whose names still are the same, both get a mark: then neither depends on their order.
  const marked = changeDoubles(withPath, (i) => joined(withPath[i] ?? '', markOf(at(operations, i), 4)));
  return changeDoubles(marked, (i) => joined(plain[i] ?? '', markOf(at(operations, i), 16)));
}

/** The operation in question; the index is one of the list's own. */
function at(operations: readonly Nameable[], i: number): Nameable {
  return operations[i] ?? { method: '', path: '', operationId: undefined };
}

function changeDoubles(names: readonly string[], change: (i: number) => string): string[] {
  const count = new Map<string, number>();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  return names.map((name, i) => ((count.get(name) ?? 0) > 1 || TAKEN.has(name) ? change(i) : name));
}

function baseName({ method, path, operationId }: Nameable): string {
  const given = words((operationId ?? '').split('__')[0] ?? '') || words(operationId ?? '');
  const name = given === '' ? joined(method.toLowerCase(), words(path)) : given;
  return cut(/^[a-z]/.test(name) ? name : `${method.toLowerCase()}_${name}`.replace(/_+$/, ''), MAX_NAME);
}

function markOf({ method, path }: Nameable, length: number): string {
  return createHash('sha256').update(`${method.toUpperCase()} ${path}`).digest('hex').slice(0, length);
}

function joined(name: string, end: string): string {
  const last = cut(end, MAX_NAME - 9);
  return last === '' ? cut(name, MAX_NAME) : `${cut(name, MAX_NAME - last.length - 1)}_${last}`;
}

function cut(name: string, length: number): string {
  return name.slice(0, length).replace(/_+$/, '');
}

function firstSegment(path: string): string {
  return path.split('/').find((part) => part !== '' && !part.startsWith('{')) ?? '';
}

/** getPetById, pets/get, "Get pet" → get_pet_by_id, pets_get, get_pet */
function words(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
}

/** A key that models and protocols take as the name of an argument. */
export function argumentName(name: string): string {
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(name) && name !== '__proto__') return name;
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 64);
  return plain === '' || plain === 'proto' ? `argument_${createHash('sha256').update(name).digest('hex').slice(0, 6)}` : plain;
}

/** `name-of-an-agent` from a title. */
export function agentNameFrom(title: string): string {
  const name = words(title).replaceAll('_', '-').slice(0, 40).replace(/-+$/, '');
  return name === '' ? 'api-agent' : name;
}
