// JSON Schemas that share definitions: each is published with those it reaches.
import type { JsonSchema } from '../authoring/schema.ts';
import { isRecord } from './serialize.ts';

const LOCAL = '#/$defs/';

/** The schema with the definitions it reaches in `$defs`, by name. */
export function withDefinitions(schema: JsonSchema, definitions: Readonly<Record<string, unknown>>): JsonSchema {
  const usedDefinitions = new Map<string, unknown>();
  const open: unknown[] = [schema];
  while (open.length > 0) {
    for (const name of referencesIn(open.pop())) {
      if (usedDefinitions.has(name) || !Object.hasOwn(definitions, name)) continue;
      usedDefinitions.set(name, definitions[name]);
      open.push(definitions[name]);
    }
  }
  if (usedDefinitions.size === 0) return schema;
  return { ...schema, $defs: Object.fromEntries([...usedDefinitions].toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

/** Keywords whose members are names, and not keywords. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
const LITERAL = new Set(['enum', 'const', 'default']);

function referencesIn(schema: unknown): string[] {
  const names: string[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(walk);
    if (!isRecord(value)) return;
    for (const [key, member] of Object.entries(value)) {
      if (LITERAL.has(key)) continue;
      if (key === '$ref' && typeof member === 'string' && member.startsWith(LOCAL)) names.push(member.slice(LOCAL.length));
      else if (NAMED.has(key) && isRecord(member)) Object.values(member).forEach(walk);
      else walk(member);
    }
  };
  walk(schema);
  return names;
}
