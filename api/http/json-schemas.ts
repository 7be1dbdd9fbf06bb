// Zod's own JSON Schemas, gathered into named components. A schema that reads differently as input than as
// output (defaults, codecs) becomes two components: `X` as it is answered, `XInput` as it is sent.
import { z } from 'zod';
import { withOneType } from '#contract/wire/one-type.ts';
import { asNameable } from './nameable.ts';

export type Json = { [key: string]: unknown };
type Direction = 'input' | 'output';

export interface Components {
  /** The schema, in which named ones are references. */
  use(schema: z.core.$ZodType, direction: Direction): Json;
  /** The document with its references settled, and what they refer to under components.schemas. */
  settle(document: Json): { document: Json; schemas: Record<string, Json> };
}

const REF = '#/components/schemas/';
const REF_DEFS = '#/$defs/';
/** Stands behind a reference made for an input until it is known whether the two readings differ. */
const AS_INPUT = '@input';

export function createComponents(): Components {
  const defs: Record<Direction, Map<string, Json>> = { input: new Map(), output: new Map() };
  return {
    use(schema, direction) {
      const { $schema: _, $defs = {}, ...root } = withoutAnonymous(z.toJSONSchema(schema, { io: direction, unrepresentable: 'any', target: 'draft-2020-12' }));
      for (const [name, json] of Object.entries($defs)) defs[direction].set(name, withOneType({ ...json }));
      return withRefs(withOneType(root), (ref) => settled(ref, direction === 'input' ? AS_INPUT : ''));
    },
    settle(document) {
      const split = differing(defs.input, defs.output);
      const nameOf = (name: string): string => (split.has(name) ? `${name}Input` : name);
      const outputs = [...defs.output].map(([name, json]) => [name, withRefs(json, (ref) => settled(ref))] as const);
      const inputs = [...defs.input].map(
        ([name, json]) => [nameOf(name), withRefs(json, (ref) => settled(REF_DEFS + nameOf(ref.slice(REF_DEFS.length))))] as const,
      );
      const schemas = Object.fromEntries([...inputs, ...outputs].sort(([a], [b]) => (a < b ? -1 : 1)));
      const rename = (ref: string): string => (ref.endsWith(AS_INPUT) ? REF + nameOf(ref.slice(REF.length, -AS_INPUT.length)) : ref);
      const whole = Object.fromEntries(Object.entries(schemas).map(([name, json]) => [name, asNameable(json, schemas)]));
      return { document: asNameable(withRefs(document, rename), schemas), schemas: whole };
    },
  };
}

/**
 * z.json() refers to itself without a name, which client generators do not take: it is any JSON, and so says
 * the empty schema.
 * @throws Error for another schema that does: it needs a name of its own
 */
function withoutAnonymous<T extends { $defs?: Record<string, unknown> }>(json: T): T {
  if (JSON.stringify(json).includes('"$ref":"#"')) throw unnamed('a root');
  const anonymous = Object.entries(json.$defs ?? {}).filter(([name]) => name.startsWith('__schema'));
  if (anonymous.length === 0) return json;
  for (const [name, def] of anonymous) {
    const isJson = typeof def === 'object' && def !== null && 'anyOf' in def && !JSON.stringify(def).includes('"properties"');
    if (!isJson) throw unnamed(name);
    delete json.$defs?.[name];
  }
  return JSON.parse(JSON.stringify(json, (_, value: unknown) => (isAnonymousRef(value) ? { ...value, $ref: undefined } : value)));
}

function unnamed(where: string): Error {
  return new Error(`the schema at ${where} refers to itself and has no id: give it one with .meta({ id })`);
}

function isAnonymousRef(value: unknown): value is { $ref: string } {
  return typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string' && value.$ref.startsWith(`${REF_DEFS}__schema`);
}

function settled(ref: string, mark = ''): string {
  return ref.replace(REF_DEFS, REF) + mark;
}

/** Names whose two readings differ, themselves or in something they refer to. */
function differing(input: Map<string, Json>, output: Map<string, Json>): Set<string> {
  const both = [...input.keys()].filter((name) => output.has(name));
  const split = new Set(both.filter((name) => JSON.stringify(input.get(name)) !== JSON.stringify(output.get(name))));
  for (let before = -1; before !== split.size;) {
    before = split.size;
    for (const name of both) if (refsIn(input.get(name)).some((ref) => split.has(ref.slice(REF_DEFS.length)))) split.add(name);
  }
  return split;
}

function refsIn(value: unknown): string[] {
  const refs: string[] = [];
  withRefs({ value }, (ref) => (refs.push(ref), ref));
  return refs;
}

/** A copy in which every $ref went through `change`. */
function withRefs(value: object, change: (ref: string) => string): Json {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === '$ref' && typeof member === 'string' ? change(member) : deep(member, change)]),
  );
}

function deep(value: unknown, change: (ref: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => deep(one, change));
  return typeof value === 'object' && value !== null ? withRefs(value, change) : value;
}
