// Schemas of a description as JSON Schema 2020-12 that compiles: references kept, what no reader of a tool
// needs dropped.
import { isJsonObject, type Json, listOf } from './document.ts';
import { atReference } from '#contract/wire/json-pointer.ts';
import { lastPart } from './references.ts';

export type Side = 'input' | 'output';

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Words that some descriptions use for a type. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  int: 'integer',
  int32: 'integer',
  int64: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  file: 'string',
  date: 'string',
  datetime: 'string',
  uuid: 'string',
  text: 'string',
  any: '',
};
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
const SCHEMAS = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
]);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const NUMBERS = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);
const COUNTS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'minContains', 'maxContains']);
/** What says how a result must be, and not how it looks: results are described, not refused. */
const RULES = new Set([
  ...NUMBERS,
  ...COUNTS,
  'multipleOf',
  'pattern',
  'required',
  'enum',
  'const',
  'uniqueItems',
  'format',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
  'additionalProperties',
  'default',
  'propertyNames',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
  'patternProperties',
]);
const MAX_DESCRIPTION = 600;

export class Schemas {
  readonly #document: Json;
  readonly #side: Side;
  /** By name, in the order in which they were met. */
  readonly definitions = new Map<string, unknown>();
  readonly #names = new Map<string, string>();
  readonly warnings = new Set<string>();

  constructor(document: Json, side: Side) {
    this.#document = document;
    this.#side = side;
  }

  /** Definitions that are not cleaned yet: one after another, for chains of them are long. */
  readonly #open: [name: string, target: unknown][] = [];

  /** A schema that refers to `definitions` by `#/$defs/<name>`. */
  clean(schema: unknown): unknown {
    const cleaned = this.#clean(schema);
    for (let next = this.#open.pop(); next; next = this.#open.pop()) this.definitions.set(next[0], this.#clean(next[1]));
    return cleaned;
  }

  #clean(schema: unknown): unknown {
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema)) return {};
    const out: [string, unknown][] = [];
    const notes: string[] = [];
    for (const [key, value] of Object.entries(schema)) {
      if (this.#side === 'output' && RULES.has(key)) continue;
      const cleanedValue = this.#keyword(key, value, schema, notes);
      if (cleanedValue !== undefined) out.push([key, cleanedValue]);
    }
    const cleaned = Object.fromEntries(out);
    if (typeof schema['$ref'] === 'string') return this.#reference(schema['$ref'], cleaned, schema);
    this.#withoutOneSided(cleaned, schema);
    if (notes.length > 0) cleaned['description'] = [cleaned['description'], ...notes].filter(Boolean).join(' ');
    return this.#nullable(cleaned, schema);
  }

  /** Names of the definitions that a cleaned schema reaches. */
  reached(schema: unknown): Set<string> {
    const names = new Set<string>();
    for (const name of this.#reach(schema)) names.add(name);
    return names;
  }

  /** As JSON with what it reaches, in characters; past `limit` it is not counted further. */
  size(schema: unknown, limit = Number.POSITIVE_INFINITY): number {
    let size = JSON.stringify(schema).length;
    for (const name of this.#reach(schema)) {
      size += this.#about(name).size;
      if (size > limit) break;
    }
    return size;
  }

  *#reach(schema: unknown): Generator<string> {
    const seen = new Set<string>();
    const open = referencesIn(schema);
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      yield name;
      open.push(...this.#about(name).references);
    }
  }

  /** Once everything is cleaned a definition stays as it is. */
  readonly #known = new Map<string, { size: number; references: readonly string[] }>();
  #about(name: string): { size: number; references: readonly string[] } {
    const known = this.#known.get(name);
    if (known) return known;
    const definition = this.definitions.get(name);
    const about = { size: JSON.stringify(definition ?? {}).length + name.length + 4, references: [...new Set(referencesIn(definition))] };
    this.#known.set(name, about);
    return about;
  }

  #keyword(key: string, value: unknown, schema: Json, notes: string[]): unknown {
    if (NAMED.has(key)) return isJsonObject(value) ? mapped(value, (member) => this.#clean(member)) : undefined;
    if (SCHEMAS.has(key)) return Array.isArray(value) ? this.#clean(value[0]) : this.#clean(value);
    if (LISTS.has(key)) {
      const members = listOf(value);
      return members.length === 0 ? undefined : members.map((member) => this.#clean(member));
    }
    if (NUMBERS.has(key)) return finite(value);
    if (COUNTS.has(key)) return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
    switch (key) {
      case 'type':
        return typesOf(value);
      case 'required': {
        const names = [...new Set(listOf(value).filter((name) => typeof name === 'string'))];
        return names.length > 0 ? names : undefined;
      }
      case 'enum':
        return Array.isArray(value) && value.length > 0 ? unique(value) : undefined;
      case 'const':
      case 'default':
        return value;
      case 'multipleOf':
        return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : undefined;
      case 'uniqueItems':
        return value === true ? true : undefined;
      case 'pattern':
        if (compiles(value)) return value;
        if (typeof value === 'string') notes.push(`Pattern: ${value.slice(0, 200)}`);
        return undefined;
      case 'format':
      case 'contentEncoding':
      case 'contentMediaType':
        return typeof value === 'string' ? value : undefined;
      case 'title':
        return typeof value === 'string' && schema['description'] === undefined ? value.slice(0, 200) : undefined;
      case 'description':
        return typeof value === 'string' && value !== '' ? shortened(value) : undefined;
      case 'deprecated':
        return value === true ? true : undefined;
      case 'dependentRequired':
        return isJsonObject(value) ? mapped(value, (names) => unique(listOf(names).filter((name) => typeof name === 'string'))) : undefined;
      default:
        return undefined;
    }
  }

  #reference(pointer: string, cleaned: Json, schema: Json): unknown {
    const name = this.#named(pointer);
    const reference = name === undefined ? {} : { $ref: `#/$defs/${name}` };
    const { description, default: fallback } = cleaned;
    const beside = { ...(description !== undefined && { description }), ...(fallback !== undefined && { default: fallback }) };
    if (schema['nullable'] === true) return { anyOf: [reference, { type: 'null' }], ...beside };
    return { ...reference, ...beside };
  }

  /** The definition that a pointer leads to gets its name before it is cleaned: it may lead to itself. */
  #named(pointer: string): string | undefined {
    const known = this.#names.get(pointer);
    if (known !== undefined) return known;
    const target = atReference(this.#document, pointer);
    if (!isJsonObject(target) && typeof target !== 'boolean') {
      this.warnings.add(
        pointer.startsWith('#') ? `${pointer.slice(0, 120)} leads to nothing` : `${pointer.slice(0, 120)} is another document, which is not read`,
      );
      return undefined;
    }
    const base =
      lastPart(pointer)
        .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
        .slice(0, 80) || 'Schema';
    let name = base;
    for (let n = 2; this.definitions.has(name); n += 1) name = `${base}_${n}`;
    this.#names.set(pointer, name);
    this.definitions.set(name, {});
    this.#open.push([name, target]);
    return name;
  }

  /** Members that only answers have are no arguments, and the other way round. */
  #withoutOneSided(cleaned: Json, schema: Json): void {
    const properties = cleaned['properties'];
    const given = schema['properties'];
    if (!isJsonObject(properties) || !isJsonObject(given)) return;
    const mark = this.#side === 'input' ? 'readOnly' : 'writeOnly';
    const gone = new Set(Object.entries(given).flatMap(([name, member]) => (isJsonObject(member) && member[mark] === true ? [name] : [])));
    if (gone.size === 0) return;
    cleaned['properties'] = Object.fromEntries(Object.entries(properties).filter(([name]) => !gone.has(name)));
    const required = listOf(cleaned['required']).filter((name) => typeof name !== 'string' || !gone.has(name));
    if (required.length > 0) cleaned['required'] = required;
    else delete cleaned['required'];
  }

  #nullable(cleaned: Json, schema: Json): unknown {
    const { type } = cleaned;
    const orNull = schema['nullable'] === true || (this.#side === 'output' && type !== undefined);
    if (!orNull || type === undefined) return cleaned;
    const types = unique([...(Array.isArray(type) ? type : [type]), 'null']);
    const values = cleaned['enum'];
    return { ...cleaned, type: types, ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }) };
  }
}

/** The same with everything below `depth` left open. */
export function cutAt(schema: unknown, depth: number, definitions: ReadonlyMap<string, unknown>, hops = 8): unknown {
  if (!isJsonObject(schema)) return schema;
  const { $ref: pointer } = schema;
  if (typeof pointer === 'string')
    return depth <= 0 || hops === 0 ? {} : cutAt(definitions.get(pointer.replace('#/$defs/', '')) ?? {}, depth, definitions, hops - 1);
  if (depth <= 0) return 'type' in schema ? { type: schema['type'] } : {};
  return mapped(schema, (value, key) => {
    if (NAMED.has(key)) return isJsonObject(value) ? mapped(value, (member) => cutAt(member, depth - 1, definitions)) : value;
    if (LISTS.has(key)) return listOf(value).map((member) => cutAt(member, depth - 1, definitions));
    return SCHEMAS.has(key) ? cutAt(value, depth - 1, definitions) : value;
  });
}

function mapped(value: Json, change: (member: unknown, name: string) => unknown): Json {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, name)]));
}

function referencesIn(schema: unknown): string[] {
  const names: string[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(walk);
    if (!isJsonObject(value)) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === 'enum' || key === 'const' || key === 'default') continue;
      if (key === '$ref' && typeof member === 'string') names.push(member.replace('#/$defs/', ''));
      else if (NAMED.has(key) && isJsonObject(member)) Object.values(member).forEach(walk);
      else walk(member);
    }
  };
  walk(schema);
  return names;
}

function typesOf(value: unknown): unknown {
  const types = unique(
    (Array.isArray(value) ? value : [value])
      .map((one) => (typeof one === 'string' ? (TYPE_WORDS[one.toLowerCase()] ?? one) : ''))
      .filter((one) => TYPES.has(one)),
  );
  return types.length > 1 ? types : types[0];
}

function unique(values: readonly unknown[]): unknown[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    const text = JSON.stringify(value);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function compiles(pattern: unknown): boolean {
  if (typeof pattern !== 'string' || pattern.length > 2_000) return false;
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

export function shortened(text: string, max = MAX_DESCRIPTION): string {
  const plain = text
    .replaceAll(/<[^>\n]{1,200}>/g, '')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\n\s*\n\s*/g, '\n')
    .trim();
  return plain.length <= max ? plain : `${plain.slice(0, max - 1).trimEnd()}…`;
}
