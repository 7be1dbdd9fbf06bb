// What the rules of a schema say to who fills a form, on the page and in a terminal, and names as labels.
import { patternWords } from './pattern-words.ts';

type Schema = Readonly<Record<string, unknown>>;

const FORMATS: Record<string, string> = {
  email: 'an email address, e.g. ada@example.org',
  uri: 'an address with its scheme, e.g. https://example.org/',
  url: 'an address with its scheme, e.g. https://example.org/',
  date: 'a date, e.g. 2026-11-25',
  'date-time': 'a time, e.g. 2026-11-25T18:30:00Z',
  time: 'a time of day with its zone, e.g. 18:30:00Z',
  uuid: 'a UUID',
  duration: 'a duration, e.g. PT15M',
  hostname: 'a host name',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  regex: 'a regular expression',
  'iana-time-zone': 'a time zone, e.g. Europe/Zurich',
};
const TYPES: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'yes or no',
  array: 'a list',
  object: 'a group of fields',
  null: 'no value',
};
const SHOWN_VALUES = 8;
export const REQUIRED = 'Required';

/** "Courses, 2, Name": a place in a value, as forms label it. */
export function pathWords(path: readonly (string | number)[]): string {
  return path.map((step) => (typeof step === 'number' ? String(step + 1) : humanized(step))).join(', ');
}

/** "log_scale" → "Log scale", "maxTokens" → "Max tokens", "customer_ID" → "Customer ID". */
export function humanized(name: string): string {
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
    .map((word) => (/^\p{Lu}[\p{Ll}\d]*$/u.test(word) && word.length > 1 ? word.toLowerCase() : word));
  const [first = name, ...rest] = words;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ');
}

/**
 * What a rule of a schema says of a value that breaks it. @param schema the one whose rule it is. Undefined:
 * the rule needs words of its own.
 */
export function worded(keyword: string, schema: Schema, value?: unknown): string | undefined {
  const limit = schema[keyword];
  if ((keyword === 'type' && value === null) || ((keyword === 'minLength' || keyword === 'minItems') && limit === 1 && isEmpty(value))) return REQUIRED;
  return RULES[keyword]?.(limit, schema);
}

const RULES: Record<string, (limit: unknown, schema: Schema) => string> = {
  type: (types, schema) => {
    const all = [types].flat().filter((type) => type !== 'null');
    const [only] = all;
    if (all.length === 1 && (only === 'number' || only === 'integer')) return numberWords(schema);
    return sentence(all.map((type) => TYPES[String(type)] ?? String(type)).join(' or '));
  },
  const: (value) => `Must be ${shown(value)}`,
  enum: (values) => choiceWords(Array.isArray(values) ? values : []),
  minimum: (_, schema) => numberWords(schema),
  exclusiveMinimum: (_, schema) => numberWords(schema),
  maximum: (_, schema) => numberWords(schema),
  exclusiveMaximum: (_, schema) => numberWords(schema),
  multipleOf: (step) => (step === 1 ? 'A whole number' : `A multiple of ${String(step)}`),
  minLength: (least) => `At least ${count(least, 'character')}`,
  maxLength: (most) => `At most ${count(most, 'character')}`,
  pattern: (pattern, schema) => ownWordsOf(schema) ?? patternWords(String(pattern)) ?? 'Not in the form that is required here',
  format: (format) => sentence(FORMATS[String(format)] ?? `a ${String(format)}`),
  minItems: (least) => `At least ${count(least, 'item')}`,
  maxItems: (most) => `At most ${count(most, 'item')}`,
  uniqueItems: () => 'Each item once',
  minProperties: (least) => `At least ${count(least, 'field')}`,
  maxProperties: (most) => `At most ${count(most, 'field')}`,
  contains: () => 'An item is missing that must be there',
  propertyNames: () => 'The name of a field is not allowed',
  anyOf: () => 'None of what is allowed here',
  oneOf: () => 'Must be exactly one of what is allowed here',
  not: () => 'Not allowed here',
  false: () => 'Not a field of this form: remove it',
};

/** "Choose tea or coffee", "Choose one of red, green, blue". */
export function choiceWords(values: readonly unknown[]): string {
  const words = values.slice(0, SHOWN_VALUES).map(shown);
  if (values.length === 2) return `Choose ${words.join(' or ')}`;
  return words.length === 0 ? 'Choose one' : `Choose one of ${words.join(', ')}${values.length > SHOWN_VALUES ? ' …' : ''}`;
}

/** Regular expressions cannot be read; authors say in `x-error` or `errorMessage` what they want. */
function ownWordsOf(schema: Schema): string | undefined {
  const words = schema['x-error'] ?? schema['errorMessage'];
  return typeof words === 'string' && words !== '' ? words : undefined;
}

function numberWords(schema: Schema): string {
  const kind = schema['type'] === 'integer' ? 'A whole number' : 'A number';
  const [low, high] = [limitOf(schema, 'minimum'), limitOf(schema, 'maximum')];
  const [above, below] = [limitOf(schema, 'exclusiveMinimum'), limitOf(schema, 'exclusiveMaximum')];
  if (low !== undefined && high !== undefined) return `${kind} from ${low} to ${high}`;
  const bounds = [
    low === undefined ? (above === undefined ? undefined : `more than ${above}`) : `at least ${low}`,
    high === undefined ? (below === undefined ? undefined : `less than ${below}`) : `at most ${high}`,
  ].filter((bound) => bound !== undefined);
  return bounds.length === 0 ? kind : `${kind}, ${bounds.join(' and ')}`;
}

/** Limits that say no more than that a computer can hold the number are none. */
function limitOf(schema: Schema, keyword: string): number | undefined {
  const limit = schema[keyword];
  return typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER ? limit : undefined;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

export function count(number: unknown, of: string): string {
  return `${String(number)} ${of}${String(number) === '1' ? '' : 's'}`;
}

export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function typeWords(type: string): string {
  return TYPES[type] ?? type;
}

export function formatWords(format: string): string | undefined {
  return FORMATS[format];
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
