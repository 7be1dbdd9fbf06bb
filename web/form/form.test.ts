/* eslint-disable unicorn/no-thenable -- a keyword of JSON Schema. */
// Schemas as forms read them, values as forms make them, and what the check says.
import { expect, test } from 'vitest';
import { branchOf } from './branches.ts';
import { check } from './check.ts';
import { type Field, fieldOf } from './field.ts';
import { issuesAt } from './issues.ts';
import { brokenAt } from './json-place.ts';
import { readJson } from './json-text.ts';
import type { JsonSchema } from './schema.ts';
import { fromLocal, toLocal } from './text-look.ts';
import { addedOf, filled, inBranch, moved, withMember } from './value.ts';

const ANY = { $defs: { any: { anyOf: ['string', 'number', 'boolean', 'null', 'array', 'object'].map((type) => ({ type })) } } };
const kind = (schema: unknown, root: JsonSchema = ANY): Field['kind'] => fieldOf(schema, root).kind;
const as = <K extends Field['kind']>(field: Field, wanted: K): Extract<Field, { kind: K }> => {
  if (field.kind !== wanted) throw new Error(`is a ${field.kind}, not a ${wanted}`);
  // Safe: it was just compared.
  return field as Extract<Field, { kind: K }>;
};

test.each([
  [{ type: 'string' }, 'text'],
  [{ type: 'integer' }, 'number'],
  [{ type: 'boolean' }, 'boolean'],
  [{ type: 'null' }, 'constant'],
  [{ const: 'x' }, 'constant'],
  [{ enum: ['a', 'b'] }, 'choice'],
  [{ oneOf: [{ const: 1, title: 'One' }, { const: 2 }] }, 'choice'],
  [{ type: 'array', items: { type: 'string' } }, 'list'],
  [{ type: 'array', uniqueItems: true, items: { enum: ['a', 'b'] } }, 'several'],
  [{ type: 'object', properties: {} }, 'object'],
  [{ properties: { a: {} } }, 'object'],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'union'],
  [{ type: ['string', 'number'] }, 'union'],
  [{ type: ['string', 'null'] }, 'text'],
  [{ type: 'string', format: 'data-url' }, 'file'],
  [{ type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' }, 'file'],
  [{}, 'json'],
  [{ $ref: '#/$defs/any' }, 'json'],
  [true, 'json'],
  [{ $ref: '#/$defs/none' }, 'json'],
  [{ $ref: 'https://elsewhere.example/schema' }, 'json'],
])('%j is drawn as %s', (schema, expected) => expect(kind(schema)).toBe(expected));

test('references are followed, also to themselves and to the root', () => {
  const root = {
    $defs: { a: { $ref: '#/$defs/a' }, node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, top: { $ref: '#' } } } },
    type: 'array',
  };
  expect(kind({ $ref: '#/$defs/a' }, root)).toBe('json');
  const node = as(fieldOf({ $ref: '#/$defs/node', title: 'Mine' }, root), 'object');
  expect(node.title).toBe('Mine');
  expect(kind(node.members[0]?.schema, root)).toBe('object');
  expect(kind(node.members[1]?.schema, root)).toBe('list');
});

test('allOf is merged: members, limits, what is required', () => {
  const field = as(
    fieldOf(
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'integer', minimum: 1 } }, required: ['a'] },
          { properties: { a: { minimum: 3, maximum: 9 }, b: { type: 'string' } }, required: ['b'] },
        ],
      },
      {},
    ),
    'object',
  );
  expect(field.members.map(({ name, required }) => [name, required])).toEqual([
    ['a', true],
    ['b', true],
  ]);
  expect(as(fieldOf(field.members[0]?.schema, {}), 'number')).toMatchObject({ min: 3, max: 9, integer: true });
});

test('null beside one schema, or beside several, is no choice of its own', () => {
  expect(fieldOf({ anyOf: [{ type: 'string', format: 'email' }, { type: 'null' }], title: 'Mail' }, {})).toMatchObject({
    kind: 'text',
    nullable: true,
    input: 'email',
    title: 'Mail',
  });
  expect(fieldOf({ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] }, {})).toMatchObject({ kind: 'union', nullable: true });
  expect(fieldOf({ enum: ['a', 'b', null] }, {})).toMatchObject({ kind: 'choice', nullable: true, options: [{ value: 'a' }, { value: 'b' }] });
});

const SHAPES = {
  oneOf: [
    { type: 'object', properties: { type: { const: 'circle' }, radius: { type: 'number' }, color: { type: 'string' } }, required: ['type', 'radius'] },
    { type: 'object', properties: { type: { const: 'square' }, side: { type: 'number' }, color: { type: 'string' } }, required: ['type', 'side'] },
  ],
};

test('branches are named by their constants, found by them, and what both have is kept', () => {
  const { branches } = as(fieldOf(SHAPES, {}), 'union');
  expect(branches.map(({ label }) => label)).toEqual(['circle', 'square']);
  expect(branchOf(branches, { type: 'square', side: 2 }, {})).toBe(1);
  expect(branchOf(branches, undefined, {})).toBe(0);
  const [, square] = branches;
  expect(square && inBranch(square, { type: 'circle', radius: 1, color: 'red' }, {})).toEqual({ type: 'square', color: 'red' });
});

test('a union that only says what goes together draws its object; members of conditions are drawn', () => {
  const either = {
    type: 'object',
    properties: { a: {}, b: {} },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
    if: {},
    then: { properties: { c: {} } },
    dependentSchemas: { a: { properties: { d: {} } } },
  };
  expect(as(fieldOf(either, {}), 'object').members.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
});

test('fields stand in the order that their author wrote, whether they are required or not', () => {
  const schema = { type: 'object', properties: { zebra: { type: 'string' }, apple: { type: 'string' }, mango: { type: 'string' } }, required: ['mango'] };
  expect(as(fieldOf(schema, {}), 'object').members.map(({ name }) => name)).toEqual(['zebra', 'apple', 'mango']);
  expect(Object.keys(withMember(withMember({}, 'mango', 1, ['zebra', 'apple', 'mango']), 'zebra', 2, ['zebra', 'apple', 'mango']))).toEqual(['zebra', 'mango']);
});

test('records, tuples, and limits that are none', () => {
  expect(as(fieldOf({ type: 'object', additionalProperties: { type: 'number' } }, {}), 'object').extra).toEqual({ type: 'number' });
  expect(as(fieldOf({ type: 'object', properties: { a: {} }, additionalProperties: false }, {}), 'object').extra).toBeUndefined();
  expect(as(fieldOf({ type: 'array', prefixItems: [{}, {}], items: false }, {}), 'list')).toMatchObject({ max: 2 });
  expect(as(fieldOf({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, exclusiveMaximum: 5 }, {}), 'number')).toMatchObject({ min: undefined, max: 4 });
});

test('what is required and known is filled in; what is optional is left out', () => {
  const schema = {
    type: 'object',
    required: ['kind', 'on', 'in', 'note', 'name'],
    properties: {
      kind: { const: 'x' },
      on: { type: 'boolean' },
      in: { type: 'object', required: ['n'], properties: { n: { type: 'integer', default: 3 } } },
      note: { type: ['string', 'null'] },
      name: { type: 'string' },
      more: { type: 'string', default: 'left to the platform' },
    },
  };
  expect(filled(schema, undefined)).toEqual({ kind: 'x', on: false, in: { n: 3 }, note: null });
  const full = { kind: 'x', on: true, in: {}, note: '', name: 'y' };
  expect(filled(schema, full)).toBe(full);
  expect(addedOf({ type: 'array', minItems: 2, items: { type: 'boolean' } }, {})).toEqual([false, false]);
});

test('members go and come; a member may be named like what objects inherit', () => {
  expect(withMember({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
  expect(Object.keys(withMember({}, '__proto__', 1))).toEqual(['__proto__']);
  expect(as(fieldOf({ type: 'object', properties: {}, required: ['constructor'] }, {}), 'object').members).toHaveLength(1);
  expect(moved([1, 2, 3], 0, 2)).toEqual([2, 3, 1]);
});

test.each([
  [{ type: 'object', required: ['a'] }, {}, [{ path: ['a'], message: 'Required' }]],
  [{ type: 'object', properties: { 'a/b': { type: 'integer', minimum: 3 } } }, { 'a/b': 1 }, [{ path: ['a/b'], message: 'A whole number, at least 3' }]],
  [{ type: 'array', items: { type: 'string', minLength: 1 } }, ['x', ''], [{ path: [1], message: 'Required' }]],
  [{ type: 'string', format: 'email' }, 'nobody', [{ path: [], message: 'An email address, e.g. ada@example.org' }]],
  [{ anyOf: [{ type: 'string', maxLength: 2 }, { type: 'null' }] }, 'long', [{ path: [], message: 'At most 2 characters' }]],
  [SHAPES, { type: 'square' }, [{ path: ['side'], message: 'Required' }]],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, true, [{ path: [], message: 'None of what is allowed here' }]],
  [{ type: 'object', dependentRequired: { a: ['b'] } }, { a: 1 }, [{ path: ['b'], message: 'Required where A is given' }]],
  [{ if: { required: ['a'] }, then: { required: ['b'] } }, { a: 1 }, [{ path: ['b'], message: 'Required' }]],
  [{ type: 'object', properties: { a: {} }, additionalProperties: false }, { z: 1 }, [{ path: ['z'], message: 'Not a field of this form: remove it' }]],
  [{ $ref: '#/$defs/n', $defs: { n: { multipleOf: 5 } } }, 7, [{ path: [], message: 'A multiple of 5' }]],
  [{ type: 'object', properties: { a: { pattern: '(' }, b: { type: 'boolean' } } }, { a: 'x', b: 1 }, [{ path: ['b'], message: 'Yes or no' }]],
  [{ $ref: 'https://elsewhere.example/' }, 1, []],
  [{ type: 'object', properties: { pattern: { type: 'string' } } }, { pattern: 1 }, [{ path: ['pattern'], message: 'Text' }]],
])('%j says of %j what is wrong', (schema, value, expected) => expect(check(schema, value)).toEqual(expected));

test('issues stand where their part is drawn, else at the nearest part above', () => {
  const issues = [
    { path: ['a'], message: 'One.' },
    { path: ['a', 'b', 0], message: 'Two.' },
  ];
  expect(issuesAt(issues, ['a'], () => true)).toEqual(['One.']);
  expect(issuesAt(issues, ['a'], () => false)).toEqual(['One.', 'B, 1: Two.']);
  expect(issuesAt(issues, [], (step) => step === 'a')).toEqual([]);
});

test('broken JSON says where', () => {
  expect(readJson('{"a": [1]}')).toEqual({ value: { a: [1] } });
  expect(readJson('{\n  "a": 1,\n}')).toMatchObject({ line: 3, column: 1 });
  expect(readJson('{"a":')).toMatchObject({ line: 1, column: 6, problem: 'the text ends too early' });
  expect(readJson('{"a": 1,\n"b": }')).toMatchObject({ line: 2, column: 6, problem: "Unexpected token '}'" });
});

test("times keep their instant through the reader's zone", () => {
  expect(fromLocal(toLocal('2026-11-25T18:30:00+02:00'))).toBe('2026-11-25T16:30:00.000Z');
  expect([toLocal('no time'), fromLocal('')]).toEqual(['', '']);
});

// All before the place can go on to be JSON; with it nothing can.
test.each([
  ['[1, 2,]', 6],
  ['{"a" 1}', 5],
  ['[1 2]', 3],
  ['{"a": tru}', 6],
  ['"a\nb"', 0],
  ['[}', 1],
  ['{,}', 1],
  ['1 2', 2],
  ['[', 1],
  ['{"a": 01}', 7],
  [String.raw`"\x"`, 0],
  [']', 0],
  [`"${'a'.repeat(1_000_000)}`, 0],
])('%.20j breaks where it says', (text, at) => {
  expect(readJson(text)).toHaveProperty('problem');
  expect(brokenAt(text)).toBe(at);
});
