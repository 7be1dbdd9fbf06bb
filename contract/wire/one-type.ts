// Published schemas as generators of clients read them, of which many know only OpenAPI 3.0: a schema has one
// type and bounds that belong to it, and names what it requires.
type Json = Record<string, unknown>;

/** Below these stand names, and then schemas again. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Values, not schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'example', 'examples']);
/** They say nothing of what is valid. */
const NOTES = new Set(['$schema', '$id', '$comment', 'title', 'description', 'default', 'example', 'examples', 'deprecated', 'readOnly', 'writeOnly']);
const OF_TYPE: Readonly<Record<string, RegExp>> = {
  string: /^(?:maxLength|minLength|pattern|format|content\w+)$/,
  number: /^(?:minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf|format)$/,
  integer: /^(?:minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf|format)$/,
  array: /^(?:items|prefixItems|contains|minItems|maxItems|uniqueItems|minContains|maxContains|unevaluatedItems)$/,
  object:
    /^(?:properties|patternProperties|additionalProperties|propertyNames|required|minProperties|maxProperties|dependentRequired|dependentSchemas|unevaluatedProperties)$/,
};

/**
 * The same schema: `type: [a, b]` is `anyOf`, a number has no exclusive bound, and a record whose keys are
 * listed has them as properties.
 */
export function withOneType(schema: Json): Json {
  return converted(schema, false);
}

function converted(schema: Json, named: boolean): Json {
  const members = Object.entries(schema).map(([key, member]) => [key, !named && VALUES.has(key) ? member : within(member, !named && NAMED.has(key))]);
  const whole: Json = Object.fromEntries(members);
  return named ? whole : split(withBounds(withKeys(whole)));
}

function within(value: unknown, named: boolean): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => within(one, false));
  return typeof value === 'object' && value !== null ? converted({ ...value }, named) : value;
}

function split(schema: Json): Json {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  if (type.length === 1) return { type: type[0], ...rest };
  const entries = Object.entries(rest);
  const ofSome = (key: string): boolean => Object.values(OF_TYPE).some((keywords) => keywords.test(key));
  const alternative = (one: unknown): Json => {
    const own = entries.filter(([key]) => !NOTES.has(key) && (OF_TYPE[String(one)]?.test(key) || !ofSome(key)));
    return {
      type: one,
      ...Object.fromEntries(own.map(([key, value]) => [key, key === 'enum' && Array.isArray(value) ? value.filter((each) => isOf(each, one)) : value])),
    };
  };
  return { ...Object.fromEntries(entries.filter(([key]) => NOTES.has(key))), anyOf: type.map(alternative) };
}

function isOf(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  return typeof value === 'number' ? type === 'number' || (type === 'integer' && Number.isInteger(value)) : typeof value === type;
}

/** `exclusiveMinimum: 0` is true or false in OpenAPI 3.0. */
function withBounds(schema: Json): Json {
  const { exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = schema;
  const isWhole = schema['type'] === 'integer';
  if (typeof above === 'number' && !('minimum' in rest) && (isWhole || above === 0))
    return withBounds({ ...without(schema, 'exclusiveMinimum'), minimum: isWhole ? Math.floor(above) + 1 : Number.MIN_VALUE });
  if (typeof below === 'number' && !('maximum' in rest) && isWhole) return { ...without(schema, 'exclusiveMaximum'), maximum: Math.ceil(below) - 1 };
  return schema;
}

function without({ ...schema }: Json, member: string): Json {
  delete schema[member];
  return schema;
}

/** Of a record from listed keys. */
function withKeys(schema: Json): Json {
  const { propertyNames, additionalProperties, ...rest } = schema;
  if (schema['type'] !== 'object' || 'properties' in schema || typeof additionalProperties !== 'object' || additionalProperties === null) return schema;
  const keys = typeof propertyNames === 'object' && propertyNames !== null && 'enum' in propertyNames ? propertyNames.enum : undefined;
  if (!Array.isArray(keys)) return schema;
  return { ...rest, properties: Object.fromEntries(keys.map((key: unknown) => [String(key), additionalProperties])), additionalProperties: false };
}
