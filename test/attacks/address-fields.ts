// Where the contract takes addresses and host names from callers.
import { z } from 'zod';
import type { DeclaredRoute } from '#contract/inventory.ts';
import { isSchema } from '#contract/kit.ts';
import { PLACES, schemaAt } from '../api/walk.ts';

const NAMES =
  /(?:^|_)(?:url|uri|href|hosts?|hostname|endpoint|address|webhook|callback|target|issuer|domain|origin|server|site|link|proxy|registry|repository|remote|smtp|mx)(?:_|$)/i;

type Schema = Record<string, unknown>;

/** `<route> <place> <path of the field>`: texts that are an address by their format or by their name. */
export function addressFields(routes: readonly DeclaredRoute[]): string[] {
  return routes.flatMap((route) =>
    PLACES.flatMap((place) => {
      const schema = schemaAt(route, place);
      if (schema === undefined) return [];
      const json: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      return [...new Set(found(json, '', objectOf(objectOf(json)['$defs'])))].map((path) => `${route.id} ${place} ${path}`);
    }),
  );
}

/** Routes whose bodies are forms, bytes or streams. */
export function bodiesWithoutSchema(routes: readonly DeclaredRoute[]): string[] {
  return routes.flatMap(({ id, spec: { body } }) => (body !== undefined && !isSchema(body) ? [id] : []));
}

function found(value: unknown, path: string, definitions: Schema, seen: ReadonlySet<string> = new Set()): string[] {
  const schema = objectOf(value);
  const { $ref: reference } = schema;
  if (typeof reference === 'string')
    return seen.has(reference) ? [] : found(definitions[reference.replace('#/$defs/', '')], path, definitions, new Set([...seen, reference]));
  const under = (member: unknown, at: string): string[] => found(member, at, definitions, seen);
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => listOf(schema[key])).flatMap((member) => under(member, path));
  const members = Object.entries(objectOf(schema['properties'])).flatMap(([name, member]) => under(member, path === '' ? name : `${path}.${name}`));
  const items = schema['items'] === undefined ? [] : under(schema['items'], `${path}[]`);
  const others = typeof schema['additionalProperties'] === 'object' ? under(schema['additionalProperties'], `${path}.*`) : [];
  return [...branches, ...members, ...items, ...others, ...(isAddress(schema, path) ? [path] : [])];
}

function isAddress({ type, format, enum: values }: Schema, path: string): boolean {
  if (format === 'uri') return true;
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'));
  return isText && values === undefined && NAMES.test(path.split('.').at(-1)?.replaceAll('[]', '') ?? '');
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
