// A schema as rows of a table: each member with its type, its limits and what it means.
import { shown } from '../../form/branches.ts';
import { type Field, fieldOf } from '../../form/field.ts';
import { isObject, type JsonSchema, resolve } from '../../form/schema.ts';

export interface MemberRow {
  /** `address.city`, `items[]`. */
  path: string;
  depth: number;
  type: string;
  required: boolean;
  help: string;
  /** Limits, default, example. */
  notes: string[];
}

const MAX_DEPTH = 5;
const MAX_ROWS = 300;

/** Empty where the schema allows anything, or nothing. */
export function rowsOf(schema: JsonSchema): MemberRow[] {
  const field = fieldOf(schema, schema);
  if (field.kind === 'object' || field.kind === 'union' || field.kind === 'list') return below(field, '', 0, { root: schema, within: [] }).slice(0, MAX_ROWS);
  return Object.keys(field.schema).length === 0 ? [] : [rowOf(field, { path: 'value', depth: 0, required: true }, { root: schema, within: [] })];
}

interface Walk {
  root: JsonSchema;
  /** References that were followed to come here: none is followed twice. */
  within: readonly string[];
}

function below(field: Field, path: string, depth: number, walk: Walk): MemberRow[] {
  if (depth > MAX_DEPTH) return [];
  if (field.kind === 'object') {
    const named = field.members.flatMap(({ name, schema, required }) => one(schema, { path: path === '' ? name : `${path}.${name}`, depth, required }, walk));
    return field.extra ? [...named, ...one(field.extra, { path: `${path === '' ? '' : `${path}.`}<name>`, depth, required: false }, walk)] : named;
  }
  if (field.kind === 'list') {
    const item = `${path}[]`;
    return field.prefix.length > 0
      ? field.prefix.flatMap((schema, at) => one(schema, { path: `${path}[${at}]`, depth, required: true }, walk))
      : itemRows(field.items, item, depth, walk);
  }
  if (field.kind === 'union') {
    return field.branches.flatMap(({ label, schema }) => {
      const branch = fieldOf(schema, walk.root);
      const own = rowOf(branch, { path: `${path === '' ? 'either' : path}: ${label}`, depth, required: false }, walk);
      return [own, ...below(branch, path, depth + 1, walk)];
    });
  }
  return [];
}

/** The row of a list says what its items are; only what they hold has rows of its own. */
function itemRows(items: unknown, path: string, depth: number, walk: Walk): MemberRow[] {
  const inside = isObject(items) ? into(items, walk) : undefined;
  return inside ? below(fieldOf(items, walk.root), path, depth, inside) : [];
}

/** undefined: it is being drawn further up. */
function into(schema: unknown, { root, within }: Walk): Walk | undefined {
  const reference = isObject(schema) && typeof schema.$ref === 'string' ? schema.$ref : undefined;
  if (reference === undefined) return { root, within };
  return reference === '#' || within.includes(reference) ? undefined : { root, within: [...within, reference] };
}

type Place = Pick<MemberRow, 'path' | 'depth' | 'required'>;

function one(schema: unknown, place: Place, walk: Walk): MemberRow[] {
  const field = fieldOf(schema, walk.root);
  const inside = into(schema, walk);
  return [rowOf(field, place, walk), ...(inside ? below(field, place.path, place.depth + 1, inside) : [])];
}

function rowOf(field: Field, place: Place, { root }: Walk): MemberRow {
  return {
    ...place,
    type: `${typeName(field, root)}${field.nullable ? ' or null' : ''}`,
    help: field.description ?? field.title ?? '',
    notes: notesOf(field, root),
  };
}

function typeName(field: Field, root: JsonSchema, depth = 0): string {
  switch (field.kind) {
    case 'text':
      return typeof field.schema.format === 'string' ? field.schema.format : 'text';
    case 'file':
      return `file${field.accept ? ` (${field.accept})` : ''}`;
    case 'number':
      return field.integer ? 'integer' : 'number';
    case 'constant':
      return shown(field.value);
    case 'choice':
      return 'one of';
    case 'several':
      return 'some of';
    case 'union':
      return depth > 2
        ? 'one of several'
        : field.branches
            .map(({ schema }) => typeName(fieldOf(schema, root), root, depth + 1))
            .filter(unique)
            .join(' or ');
    case 'list':
      return depth > 2 || field.prefix.length > 0 ? 'list' : `list of ${typeName(fieldOf(field.items, root), root, depth + 1)}`;
    case 'json':
      return 'any JSON';
    default:
      return field.kind;
  }
}

const unique = (name: string, at: number, all: readonly string[]): boolean => all.indexOf(name) === at;

const LIMITS: [string, (limit: unknown) => string][] = [
  ['minimum', (limit) => `≥ ${String(limit)}`],
  ['exclusiveMinimum', (limit) => `> ${String(limit)}`],
  ['maximum', (limit) => `≤ ${String(limit)}`],
  ['exclusiveMaximum', (limit) => `< ${String(limit)}`],
  ['multipleOf', (limit) => `multiple of ${String(limit)}`],
  ['minLength', (limit) => (limit === 1 ? 'not empty' : `at least ${String(limit)} characters`)],
  ['maxLength', (limit) => `at most ${String(limit)} characters`],
  ['minItems', (limit) => `at least ${String(limit)} ${limit === 1 ? 'item' : 'items'}`],
  ['maxItems', (limit) => `at most ${String(limit)} ${limit === 1 ? 'item' : 'items'}`],
  ['pattern', (limit) => `matches ${String(limit).slice(0, 80)}`],
];
const SHOWN_OPTIONS = 12;

function notesOf(field: Field, root: JsonSchema): string[] {
  const { schema, usual, example } = field;
  const chosen = field.kind === 'list' && isObject(field.items) ? fieldOf(field.items, root) : field;
  const limits = LIMITS.flatMap(([keyword, say]) =>
    keyword in schema && !isBoundless(schema[keyword]) && !('format' in schema && keyword === 'pattern') ? [say(schema[keyword])] : [],
  );
  const options = chosen.kind === 'choice' || chosen.kind === 'several' ? [list(chosen.options.map(({ value }) => shown(value)))] : [];
  return [
    ...options,
    ...limits,
    ...(usual === undefined ? [] : [`default ${shown(usual).slice(0, 80)}`]),
    ...(example === undefined ? [] : [`e.g. ${shown(example).slice(0, 80)}`]),
  ];
}

function list(words: readonly string[]): string {
  return words.length > SHOWN_OPTIONS ? `${words.slice(0, SHOWN_OPTIONS).join(', ')} and ${words.length - SHOWN_OPTIONS} more` : words.join(', ');
}

const isBoundless = (limit: unknown): boolean => typeof limit === 'number' && Math.abs(limit) >= Number.MAX_SAFE_INTEGER;

/** Whether a schema says anything at all. */
export function saysSomething(schema: JsonSchema): boolean {
  return Object.keys(resolve(schema, schema)).some((key) => !['$schema', 'title', 'description', '$defs'].includes(key));
}
