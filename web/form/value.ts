// Values as a form makes them: members left out until they are set, lists changed in place of each other,
// never the value that was given.
import { type Branch, branchOf } from './branches.ts';
import { type Field, fieldOf } from './field.ts';
import { OWN_SECRET } from './own/kinds.ts';
import { isObject, type JsonSchema, memberOf } from './schema.ts';

const MAX_DEPTH = 8;

/**
 * What a required part begins with: its default, its only value, what its required members begin with.
 * undefined: nothing is known.
 */
function startOf(schema: unknown, root: JsonSchema, depth = 0): unknown {
  const field = fieldOf(schema, root);
  if (field.usual !== undefined) return field.usual;
  if (field.nullable) return null;
  return emptyOf(field, root, depth);
}

/** Of a part that the reader adds. */
export function addedOf(schema: unknown, root: JsonSchema): unknown {
  const field = fieldOf(schema, root);
  return field.usual ?? emptyOf(field, root, 0);
}

function emptyOf(field: Field, root: JsonSchema, depth: number): unknown {
  if (depth > MAX_DEPTH) return undefined;
  switch (field.kind) {
    case 'constant':
      return field.value;
    case 'boolean':
      return false;
    case 'object':
      return withStart(field, {}, root, depth);
    case 'list':
      return Array.from({ length: Math.min(Math.max(field.min, field.prefix.length > 0 && field.items === false ? field.min : 0), 20) }, (_, at) =>
        startOf(itemOf(field, at), root, depth + 1),
      ).map((item) => item ?? null);
    case 'several':
      return [];
    case 'union':
      return field.branches[0] && startOf(field.branches[0].schema, root, depth + 1);
    default:
      return undefined;
  }
}

function withStart(field: Extract<Field, { kind: 'object' }>, value: Record<string, unknown>, root: JsonSchema, depth: number): Record<string, unknown> {
  const filled = { ...value };
  for (const { name, schema, required } of field.members) {
    if (!required || Object.hasOwn(value, name)) continue;
    const start = startOf(schema, root, depth + 1);
    if (start !== undefined) filled[name] = start;
  }
  return filled;
}

/**
 * The same value with what is required and known filled in; the very same object where nothing is missing.
 */
export function filled(schema: JsonSchema, value: unknown): unknown {
  if (value === undefined) return startOf(schema, schema);
  const field = fieldOf(schema, schema);
  if (field.kind !== 'object' || !isObject(value)) return value;
  const full = withStart(field, value, schema, 0);
  return Object.keys(full).length === Object.keys(value).length ? value : full;
}

/** The schema of the item at a place of a list. */
export function itemOf({ prefix, items }: { prefix: readonly unknown[]; items: unknown }, at: number): unknown {
  return at < prefix.length ? prefix[at] : items;
}

/** undefined takes the member away. @param order of the members that are named; others follow */
export function withMember(value: unknown, name: string, member: unknown, order: readonly string[] = []): Record<string, unknown> {
  const given = isObject(value) ? value : {};
  const names = Object.keys(given);
  const all = names.includes(name) ? names : [...names, name];
  const known = order.filter((one) => all.includes(one));
  const changed: Record<string, unknown> = {};
  for (const one of [...known, ...all.filter((each) => !known.includes(each))]) {
    const own = one === name ? member : given[one];
    if (one === name && member === undefined) continue;
    // A member may be named __proto__.
    Object.defineProperty(changed, one, { value: own, enumerable: true, configurable: true, writable: true });
  }
  return changed;
}

export function withItem(items: readonly unknown[], at: number, item: unknown): unknown[] {
  return items.map((one, i) => (i === at ? item : one));
}

export function moved(items: readonly unknown[], from: number, to: number): unknown[] {
  const copy = [...items];
  copy.splice(to, 0, ...copy.splice(from, 1));
  return copy;
}

/** What a value becomes when another branch is chosen: what both have stays. */
export function inBranch(branch: Branch, value: unknown, root: JsonSchema): unknown {
  const start = startOf(branch.schema, root);
  const field = fieldOf(branch.schema, root);
  if (field.kind !== 'object' || !isObject(value)) return start;
  const sharedMembers = field.members.flatMap(({ name, schema }): [string, unknown][] => {
    const member = memberOf(value, name);
    return member === undefined || fieldOf(schema, root).kind === 'constant' ? [] : [[name, member]];
  });
  return { ...(isObject(start) ? start : {}), ...Object.fromEntries(sharedMembers) };
}

/** Without what is secret, and without files: what may be kept as a draft. */
export function withoutSecrets(schema: JsonSchema, value: unknown): unknown {
  return openPart(schema, value, schema, 0);
}

function openPart(given: unknown, value: unknown, root: JsonSchema, depth: number): unknown {
  const field = fieldOf(given, root);
  if (depth > MAX_DEPTH || field.schema[OWN_SECRET] === true || field.kind === 'file' || (field.kind === 'text' && field.input === 'secret')) return undefined;
  if (field.kind === 'union') return openPart(field.branches[branchOf(field.branches, value, root)]?.schema ?? {}, value, root, depth + 1);
  if (field.kind === 'list' && Array.isArray(value)) return value.map((item, at) => openPart(itemOf(field, at), item, root, depth + 1) ?? null);
  if (field.kind !== 'object' || !isObject(value)) return value;
  const members = new Map(field.members.map(({ name, schema }) => [name, schema]));
  const open = Object.entries(value).map(([name, member]) => [name, openPart(members.get(name) ?? field.extra ?? {}, member, root, depth + 1)]);
  return Object.fromEntries(open.filter(([, member]) => member !== undefined));
}
