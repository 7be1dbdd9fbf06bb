// Whole numbers of a published schema: what a double cannot carry is refused on its way (exact-json.ts), and
// the schema says so before.
type Json = Record<string, unknown>;

/** Below these stand names of the author's own, and then schemas again. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Values, not schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'example', 'examples']);

/** With the bounds of each integer whose author states none. */
export function withIntegerBounds(schema: Json): Json {
  return bounded(schema, false);
}

function bounded(schema: Json, named: boolean): Json {
  const members = Object.entries(schema).map(([key, member]) => [key, !named && VALUES.has(key) ? member : within(member, !named && NAMED.has(key))]);
  return { ...Object.fromEntries(members), ...(!named && [schema['type']].flat().includes('integer') && missing(schema)) };
}

function within(value: unknown, named: boolean): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => within(one, false));
  return typeof value === 'object' && value !== null ? bounded({ ...value }, named) : value;
}

function missing(schema: Json): Json {
  return {
    ...(!('minimum' in schema || 'exclusiveMinimum' in schema) && { minimum: Number.MIN_SAFE_INTEGER }),
    ...(!('maximum' in schema || 'exclusiveMaximum' in schema) && { maximum: Number.MAX_SAFE_INTEGER }),
  };
}
