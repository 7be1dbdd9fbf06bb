import { expect, test } from 'vitest';
import { withOneType } from './one-type.ts';

test('a list of types is a choice between them, each with what concerns it; notes stay outside', () => {
  expect(withOneType({ type: ['string', 'null'], maxLength: 3, pattern: 'a', description: 'D', default: null })).toEqual({
    description: 'D',
    default: null,
    anyOf: [{ type: 'string', maxLength: 3, pattern: 'a' }, { type: 'null' }],
  });
  expect(withOneType({ type: ['integer', 'string'], minimum: 1, enum: [1, 'one', null] })).toEqual({
    anyOf: [
      { type: 'integer', minimum: 1, enum: [1] },
      { type: 'string', enum: ['one'] },
    ],
  });
  expect(withOneType({ type: ['array'], items: { type: ['number', 'null'] } })).toEqual({
    type: 'array',
    items: { anyOf: [{ type: 'number' }, { type: 'null' }] },
  });
});

test('an exclusive bound is the least, or the most, that is inside of it', () => {
  expect(withOneType({ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 })).toEqual({ type: 'integer', minimum: 1, maximum: 9 });
  expect(withOneType({ type: 'number', exclusiveMinimum: 0 })).toEqual({ type: 'number', minimum: 5e-324 });
  expect(withOneType({ type: 'number', exclusiveMinimum: 0.5 })).toEqual({ type: 'number', exclusiveMinimum: 0.5 });
});

test('names and values that look like schemas stay as they are', () => {
  const schema = { type: 'object', properties: { type: { type: 'string' }, enum: { const: { type: ['a', 'b'] } } }, examples: [{ type: ['a', 'b'] }] };
  expect(withOneType(schema)).toEqual(schema);
});

test('a record of listed keys names them as properties', () => {
  const schema = {
    type: 'object',
    propertyNames: { type: 'string', enum: ['a', 'b'] },
    additionalProperties: { type: ['number', 'null'] },
    required: ['a', 'b'],
  };
  const count = { anyOf: [{ type: 'number' }, { type: 'null' }] };
  expect(withOneType(schema)).toEqual({ type: 'object', properties: { a: count, b: count }, required: ['a', 'b'], additionalProperties: false });
  const open = { type: 'object', propertyNames: { pattern: '^a' }, additionalProperties: {} };
  expect(withOneType(open)).toEqual(open);
});
