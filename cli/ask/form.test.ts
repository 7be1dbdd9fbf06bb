// Forms at the terminal: what is typed becomes what the schema wants, or is asked again.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { CliContext } from '../lib/context.ts';
import { fieldOf, fieldsOf, readText } from './field.ts';
import { askForm, NoAnswer } from './form.ts';
import { lines } from '../test/tool.ts';
import { Terminal } from './terminal.ts';

function typing(...typed: string[]): { terminal: Terminal; shown: () => string } {
  const stderr = new PassThrough();
  let shown = '';
  stderr.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const streams = { stdin: lines(...typed), stdout: new PassThrough(), stderr };
  return { terminal: new Terminal(contextOf(streams)), shown: () => shown };
}

// Safe: the terminal uses the streams and `interactive` alone.
function contextOf(streams: object): CliContext {
  return { ...streams, interactive: true } as CliContext;
}

const order = {
  type: 'object',
  required: ['size', 'count', 'gift', 'code'],
  properties: {
    size: { enum: ['small', 'large'], title: 'Size', description: 'Of the cup' },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    gift: { type: 'boolean' },
    extras: { type: 'array', items: { type: 'string', enum: ['milk', 'sugar'] } },
    note: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] },
    sugar: { type: 'number', default: 1.5 },
    code: { type: 'string', format: 'password' },
    more: { $ref: '#/$defs/more' },
  },
  $defs: { more: { type: 'object', title: 'More', properties: {} } },
};

test('field by field, with types, choices, defaults, and another try for what does not fit', async () => {
  const { terminal, shown } = typing('huge', 'LARGE', 'none', '10', '3', 'y', 'milk, sugar', 'far too long', 'short', '', 's3cret', '');
  expect(await askForm(terminal, order)).toEqual({
    size: 'large',
    count: 3,
    gift: true,
    extras: ['milk', 'sugar'],
    note: 'short',
    sugar: 1.5,
    code: 's3cret',
  });
  expect(shown()).toContain('Of the cup');
  expect(shown()).toContain('  2) large');
  expect(shown()).toContain('Choose small or large');
  expect(shown()).toContain('type a whole number, e.g. 3');
  expect(shown()).toMatch(/A number, at most 9/);
  expect(shown()).toContain('Sugar (number, Enter: 1.5)');
  expect(shown()).not.toContain('s3cret');
});

test('what each fits but all together do not is asked again as a whole', async () => {
  const either = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    minProperties: 1,
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  };
  const { terminal } = typing('', '', 'x', '');
  expect(await askForm(terminal, either)).toEqual({ a: 'x' });
});

test('a schema that is no object is one value; no more input is no answer', async () => {
  expect(await askForm(typing('2').terminal, { type: 'string', enum: ['red', 'blue'] })).toBe('blue');
  await expect(askForm(typing('').terminal, { type: 'string' })).rejects.toThrow(NoAnswer);
});

test('what others wrote has no control over the terminal', async () => {
  const { terminal, shown } = typing('x');
  await askForm(terminal, { type: 'object', properties: { a: { type: 'string', title: 'A\u001b[2J', description: 'see\u0007\u001b]0;x' } }, required: ['a'] });
  expect(shown()).not.toMatch(/[\u001b\u0007]/);
});

test.each([
  [{ type: 'string' }, '12', { value: '12' }],
  [{ type: 'string', format: 'email' }, 'nobody', { problem: expect.stringMatching(/email/i) }],
  [{ type: 'number' }, '1e3', { value: 1000 }],
  [{ type: 'integer' }, '1.5', { problem: expect.stringContaining('whole number') }],
  [{ type: 'array', items: { type: 'integer' } }, '1, 2,3', { value: [1, 2, 3] }],
  [{ type: 'array', items: { type: 'integer' } }, '1,x', { problem: expect.stringContaining('whole number') }],
  [{ type: 'array', items: { type: 'object' } }, '[{}]', { value: [{}] }],
  [{ enum: [1, 2, 'two'] }, 'two', { value: 'two' }],
  [{ enum: [10, 20] }, '20', { value: 20 }],
  [{ oneOf: [{ const: 'a' }, { const: 'b' }] }, 'c', { problem: 'Choose a or b' }],
  [{ type: ['object', 'null'] }, '{"a":1}', { value: { a: 1 } }],
])('%j reads %j', (schema, text, expected) => {
  expect(readText(fieldOf('x', schema, true), text)).toEqual(expected);
});

test('a reference that leads nowhere, or to itself, is anything', () => {
  const [one, two] = fieldsOf({ properties: { a: { $ref: '#/$defs/none' }, b: { $ref: '#/$defs/b' } }, $defs: { b: { $ref: '#/$defs/b' } } }) ?? [];
  expect([one?.kind, two?.kind]).toEqual(['json', 'json']);
});
