// Arguments made from a JSON Schema and a seed: the same two give the same arguments, wherever they are made.
// For trying a skill without a written case.
import { atReference } from './json-pointer.ts';
import { fnv1a } from './random.ts';

type Schema = Record<string, unknown>;

const MAX_DEPTH = 5;
const MAX_ITEMS = 3;
const MAX_TEXT = 200;
/** Values of one case, a longer text counting as several: a schema can be written to grow without end. */
const MAX_VALUES = 5_000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * A value that fits as far as the schema's own words go; whether it fits is for the caller to check. @param
 * attempt another one of the same seed
 */
export function sampledOf(schema: Schema, seed: string, attempt = 0): Schema {
  const value = valueOf(schema, { root: schema, random: randomOf(`${seed}/${attempt}`), depth: 0, left: { values: MAX_VALUES } });
  return isRecord(value) ? value : {};
}

/**
 * Numbers in [0, 1): xorshift32 (Marsaglia 2003), begun with FNV-1a of the seed. Small, and the same on every
 * engine.
 */
export function randomOf(seed: string): () => number {
  // Zero would stay zero.
  let state = fnv1a(seed) || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
}

interface At {
  root: Schema;
  random(): number;
  depth: number;
  /** One for the whole case. */
  left: { values: number };
}

function valueOf(given: unknown, at: At): unknown {
  at.left.values -= 1;
  if (!isRecord(given) || at.depth > MAX_DEPTH || at.left.values < 0) return {};
  const schema = followed(given, at.root);
  const deeper = { ...at, depth: at.depth + 1 };
  if ('const' in schema) return schema['const'];
  const { enum: words, anyOf, oneOf, allOf } = schema;
  if (isFilled(words)) return pick(words, at);
  if (isFilled(allOf)) return valueOf(Object.assign({}, schema, { allOf: undefined }, ...allOf.map((one) => followed(one, at.root))), deeper);
  const choices = [anyOf, oneOf].find(isFilled);
  if (choices) return valueOf(pick(choices, at), deeper);
  const types: unknown[] = [schema['type'] ?? (isRecord(schema['properties']) ? 'object' : 'string')].flat();
  switch (pick(types, at)) {
    case 'string':
      return textOf(schema, at);
    case 'integer':
      return numberOf(schema, at, true);
    case 'number':
      return numberOf(schema, at, false);
    case 'boolean':
      return at.random() < 0.5;
    case 'null':
      return null;
    case 'array':
      return itemsOf(schema, deeper);
    default:
      return membersOf(schema, deeper);
  }
}

function membersOf({ properties, required }: Schema, at: At): Schema {
  if (!isRecord(properties)) return {};
  const due: unknown[] = Array.isArray(required) ? required : [];
  // Optional ones are left out now and then: a skill must do without them.
  const shown = Object.entries(properties).filter(([name]) => due.includes(name) || (at.depth < MAX_DEPTH && at.random() < 0.5));
  return Object.fromEntries(shown.map(([name, member]) => [name, valueOf(member, at)]));
}

function itemsOf(schema: Schema, at: At): unknown[] {
  const least = whole(schema['minItems']) ?? 1;
  const most = Math.max(least, Math.min(whole(schema['maxItems']) ?? MAX_ITEMS, MAX_ITEMS));
  const many = least + Math.floor(at.random() * (most - least + 1));
  return Array.from({ length: Math.min(many, 50) }, () => (schema['items'] === undefined ? 'a' : valueOf(schema['items'], at)));
}

function numberOf(schema: Schema, at: At, isWhole: boolean): number {
  const step = finite(schema['multipleOf']) ?? (isWhole ? 1 : undefined);
  const above = finite(schema['exclusiveMinimum']);
  const below = finite(schema['exclusiveMaximum']);
  const small = step ?? 0.001;
  const least = finite(schema['minimum']) ?? (above === undefined ? Math.min(0, (finite(schema['maximum']) ?? below ?? 0) - 100) : above + small);
  const most = Math.max(least, finite(schema['maximum']) ?? (below === undefined ? least + 100 : below - small));
  const value = least + at.random() * (most - least);
  if (step === undefined) return Math.round(value * 1000) / 1000;
  const [low, high] = [Math.ceil(least / step), Math.floor(most / step)];
  return Math.min(Math.max(Math.round(value / step), low), high) * step;
}

const BY_FORMAT: Record<string, (at: At) => string> = {
  'date-time': (at) => `2026-0${digit(at, 1, 9)}-1${digit(at)}T1${digit(at)}:00:00.000Z`,
  date: (at) => `2026-0${digit(at, 1, 9)}-1${digit(at)}`,
  time: (at) => `1${digit(at)}:00:00`,
  duration: (at) => `PT${digit(at, 1, 9)}H`,
  email: (at) => `${word(at, 6)}@example.test`,
  uri: (at) => `https://example.test/${word(at, 6)}`,
  url: (at) => `https://example.test/${word(at, 6)}`,
  hostname: () => 'example.test',
  ipv4: (at) => `192.0.2.${digit(at, 1, 9)}`,
  ipv6: (at) => `2001:db8::${digit(at, 1, 9)}`,
  uuid: (at) => `0198${hex(at, 4)}-${hex(at, 4)}-7${hex(at, 3)}-8${hex(at, 3)}-${hex(at, 12)}`,
};

function textOf(schema: Schema, at: At): string {
  const made = typeof schema['format'] === 'string' ? BY_FORMAT[schema['format']] : undefined;
  if (made) return made(at);
  const { examples } = schema;
  // A pattern is not read: what its author shows of it is taken.
  if (schema['pattern'] !== undefined && isFilled(examples)) return String(pick(examples, at));
  const least = whole(schema['minLength']) ?? 1;
  const most = Math.max(least, Math.min(whole(schema['maxLength']) ?? 24, MAX_TEXT));
  const length = Math.min(least + Math.floor(at.random() * (most - least + 1)), 10_000);
  at.left.values -= Math.floor(length / 100);
  return word(at, length);
}

function followed(given: unknown, root: Schema): Schema {
  let at = isRecord(given) ? given : {};
  for (let steps = 0; steps < 8 && typeof at['$ref'] === 'string' && at['$ref'].startsWith('#'); steps += 1) {
    const resolved = atReference(root, at['$ref']);
    if (!isRecord(resolved)) return {};
    at = resolved;
  }
  return at;
}

// Safe for the callers' lists: they have at least one.
function pick(from: readonly unknown[], at: At): unknown {
  return from[Math.floor(at.random() * from.length)];
}

const digit = (at: At, least = 0, most = 9): number => least + Math.floor(at.random() * (most - least + 1));
const hex = (at: At, length: number): string => Array.from({ length }, () => Math.floor(at.random() * 16).toString(16)).join('');
const word = (at: At, length: number): string => Array.from({ length }, () => LETTERS[Math.floor(at.random() * LETTERS.length)] ?? 'a').join('');
const finite = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const whole = (value: unknown): number | undefined => (typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined);
const isFilled = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
const isRecord = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
