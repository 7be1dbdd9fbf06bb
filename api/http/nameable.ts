// What generators of clients can name. In Java, for one, a choice between objects of any members and
// something else has no type, and a boolean of one value becomes text: these are published as any JSON and as
// a boolean, as their description says. The API still holds to the choice and to the value.
type Json = Record<string, unknown>;

const REF = '#/components/schemas/';
/** They say nothing of what is valid. */
const NOTES = new Set(['title', 'description', 'example', 'examples', 'deprecated']);

export function asNameable(value: Json, schemas: Readonly<Record<string, Json>>): Json {
  const members = Object.entries(value).map(([key, member]) => [key, within(member, schemas)] as const);
  if (typeof value['const'] === 'boolean') return anyBoolean(Object.fromEntries(members), value['const']);
  const isLoose = [value['anyOf'], value['oneOf']].some((choices) => Array.isArray(choices) && isLooseChoice(choices, schemas));
  return Object.fromEntries(isLoose ? members.filter(([key]) => NOTES.has(key)) : members);
}

function anyBoolean(literal: Json, only: boolean): Json {
  const { const: _, description, ...schema } = literal;
  return { ...schema, description: [`Always \`${only}\`.`, ...(typeof description === 'string' ? [description] : [])].join(' ') };
}

function within(value: unknown, schemas: Readonly<Record<string, Json>>): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => within(one, schemas));
  return typeof value === 'object' && value !== null ? asNameable({ ...value }, schemas) : value;
}

function isLooseChoice(choices: readonly unknown[], schemas: Readonly<Record<string, Json>>): boolean {
  const meant = choices.map((one) => resolved(Object(one), schemas)).filter((one) => one['type'] !== 'null');
  return meant.length > 1 && meant.some((one) => one['type'] === 'object' && !('properties' in one));
}

function resolved(schema: Json, schemas: Readonly<Record<string, Json>>): Json {
  const ref = schema['$ref'];
  return typeof ref === 'string' && ref.startsWith(REF) ? (schemas[ref.slice(REF.length)] ?? {}) : schema;
}
