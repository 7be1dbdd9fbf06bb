// What a rule of a schema says to who fills a form.
import { shown } from './branches.ts';

const TYPES: Record<string, string> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'yes or no',
  array: 'a list',
  object: 'an object',
  null: 'null',
};
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
};
const SHOWN_PATTERN = 80;
const SHOWN_VALUES = 8;

type Words = (limit: unknown) => string;
const WORDS: Record<string, Words> = {
  type: (types) =>
    `Must be ${[types]
      .flat()
      .map((type) => TYPES[String(type)] ?? String(type))
      .join(' or ')}.`,
  const: (value) => `Must be ${shown(value)}.`,
  enum: (values) =>
    `Choose one of ${Array.isArray(values) ? `${values.slice(0, SHOWN_VALUES).map(shown).join(', ')}${values.length > SHOWN_VALUES ? ' …' : ''}` : 'the values'}.`,
  minimum: (least) => `Must be at least ${String(least)}.`,
  exclusiveMinimum: (limit) => `Must be more than ${String(limit)}.`,
  maximum: (most) => `Must be at most ${String(most)}.`,
  exclusiveMaximum: (limit) => `Must be less than ${String(limit)}.`,
  multipleOf: (step) => `Must be a multiple of ${String(step)}.`,
  minLength: (least) => (least === 1 ? 'Must not be empty.' : `Use at least ${String(least)} characters.`),
  maxLength: (most) => `Use at most ${String(most)} characters.`,
  pattern: (pattern) => {
    const text = String(pattern);
    return text.length > SHOWN_PATTERN ? 'Does not have the required format.' : `Must match ${text}`;
  },
  format: (format) => `Must be ${FORMATS[String(format)] ?? `a ${String(format)}`}.`,
  minItems: (least) => `Give at least ${count(least, 'item')}.`,
  maxItems: (most) => `Give at most ${count(most, 'item')}.`,
  uniqueItems: () => 'Items must be unique.',
  minProperties: (least) => `Give at least ${count(least, 'member')}.`,
  maxProperties: (most) => `Give at most ${count(most, 'member')}.`,
  contains: () => 'A required item is missing.',
  propertyNames: () => 'The name of a member is not allowed.',
  anyOf: () => 'Is none of what is allowed here.',
  oneOf: () => 'Must be exactly one of what is allowed here.',
  not: () => 'Is not allowed.',
  false: () => 'Is not known here: remove it.',
};

/** @param limit what the schema says @param error where there are no better words */
export function worded(keyword: string, limit: unknown, error: string): string {
  if (limit === undefined && !['uniqueItems', 'anyOf', 'oneOf', 'not', 'false', 'contains', 'propertyNames'].includes(keyword)) return error;
  return WORDS[keyword]?.(limit) ?? error;
}

function count(number: unknown, of: string): string {
  return `${String(number)} ${of}${number === 1 ? '' : 's'}`;
}
