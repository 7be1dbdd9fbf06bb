// What forms say on the page and at the terminal.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { patternWords } from './pattern-words.ts';
import { spoken } from './spoken.ts';
import { humanized, worded } from './wording.ts';

test.each([
  ['log_scale', 'Log scale'],
  ['maxTokens', 'Max tokens'],
  ['HTTPServerURL', 'HTTP server URL'],
  ['customer_ID', 'Customer ID'],
  ['max-items', 'Max items'],
  ['zebra', 'Zebra'],
  ['größe_in_m', 'Größe in m'],
  ['', ''],
  ['__', '__'],
])('%s is shown as %s', (name, label) => expect(humanized(name)).toBe(label));

test.each([
  ['^[a-z][a-z0-9-]{1,37}[a-z0-9]$', 'Use 3 to 39 lower-case letters, digits and "-", starting with a letter, ending with a letter or a digit'],
  ['^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$', 'Use 1 to 63 lower-case letters, digits and "-", starting with a letter or a digit'],
  ['^[a-z0-9-]{1,128}$', 'Use 1 to 128 lower-case letters, digits and "-"'],
  [String.raw`^\d{4}$`, 'Use 4 digits'],
  ['^[A-Z][A-Z0-9_]*$', 'Use upper-case letters, digits and "_", starting with an upper-case letter'],
  [String.raw`\S`, 'Required'],
  ['^(a+)+$', undefined],
  ['^[^/]+$', undefined],
  ['a|b', undefined],
])('%s says: %s', (pattern, words) => expect(patternWords(pattern)).toBe(words));

test.each([
  ['minimum', { type: 'integer', minimum: 1, maximum: 10 }, 0, 'A whole number from 1 to 10'],
  ['type', { type: 'number', minimum: 1, maximum: 10 }, 'x', 'A number from 1 to 10'],
  ['maximum', { type: 'integer', maximum: 9 }, 10, 'A whole number, at most 9'],
  ['exclusiveMinimum', { type: 'number', exclusiveMinimum: 0 }, 0, 'A number, more than 0'],
  ['enum', { enum: ['tea', 'coffee'] }, 'x', 'Choose tea or coffee'],
  ['enum', { enum: ['red', 'green', 'blue'] }, 'x', 'Choose one of red, green, blue'],
  ['minItems', { minItems: 1 }, [], 'Required'],
  ['minItems', { minItems: 2 }, ['a'], 'At least 2 items'],
  ['maxLength', { maxLength: 5 }, 'toolong', 'At most 5 characters'],
  ['minLength', { minLength: 1 }, '', 'Required'],
  ['pattern', { pattern: '^(x+)+$' }, 'y', 'Not in the form that is required here'],
  ['pattern', { pattern: '^(x+)+$', 'x-error': 'Some x' }, 'y', 'Some x'],
  ['type', { type: ['string', 'null'] }, 1, 'Text'],
])('%s of %j says of %j: %s', (keyword, schema, value, words) => expect(worded(keyword, schema, value)).toBe(words));

const ALL = z.strictObject({
  need: z.string(),
  number: z.number(),
  count: z.int().min(1),
  less: z.number().lt(5),
  text: z.string().min(1),
  short: z.string().max(5),
  list: z.array(z.string()).min(1),
  slug: z.string().regex(/^[a-z0-9-]{1,8}$/),
  odd: z.string().regex(/^(?:a|b)+$/),
  drink: z.enum(['tea', 'coffee']),
  mail: z.email(),
  when: z.iso.datetime(),
  kind: z.union([z.strictObject({ a: z.string() }), z.number()]),
});
const WRONG = {
  number: 'x',
  count: 0,
  less: 5,
  text: '',
  short: 'longer',
  list: [],
  slug: 'A!',
  odd: 'c',
  drink: 'milk',
  mail: 'x',
  when: 'x',
  kind: 'x',
  extra: 1,
};

test('what a validator says is said in the words of forms; what an author wrote stays', () => {
  const said = (z.safeParse(ALL, WRONG).error?.issues ?? []).map(({ path, message }) => [path.join('.'), spoken(message)]);
  expect(Object.fromEntries(said)).toEqual({
    need: 'Required',
    number: 'A number',
    count: 'A number, at least 1',
    less: 'A number, less than 5',
    text: 'Required',
    short: 'At most 5 characters',
    list: 'At least 1 item',
    slug: 'Use 1 to 8 lower-case letters, digits and "-"',
    odd: 'Not in the form that is required here',
    drink: 'Choose tea or coffee',
    mail: 'An email address, e.g. ada@example.org',
    when: 'A time, e.g. 2026-11-25T18:30:00Z',
    kind: 'None of what is allowed here',
    '': 'Not known here: extra',
  });
  expect(spoken('must be Swiss')).toBe('must be Swiss');
  expect(spoken('Field required')).toBe('Required');
});
