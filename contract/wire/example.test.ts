import { expect, test } from 'vitest';
import { exampleOf } from './example.ts';

test.each([
  [{}, {}],
  [{ properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] }, { a: 'text' }],
  [{ properties: { a: { type: 'string', examples: ['Ada'] }, n: { type: 'integer', default: 3 } } }, { a: 'Ada', n: 3 }],
  [
    { properties: { c: { enum: ['red', 'blue'] }, d: { const: 7 } }, required: ['c', 'd'] },
    { c: 'red', d: 7 },
  ],
  [
    { properties: { l: { type: 'array', items: { type: 'number' } }, o: { anyOf: [{ type: 'boolean' }] } }, required: ['l', 'o'] },
    { l: [1], o: true },
  ],
  [{ examples: ['no object'] }, {}],
])('%j → %j', (schema, value) => expect(exampleOf(schema)).toEqual(value));

test('a schema that goes round or is very wide ends', () => {
  const round: Record<string, unknown> = { type: 'object', required: ['self'] };
  round['properties'] = { self: round };
  expect(JSON.stringify(exampleOf(round)).length).toBeLessThan(200);
  const names = Array.from({ length: 1_000 }, (_, i) => `a${i}`);
  const wide = { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])), required: names };
  expect(Object.keys(exampleOf(wide))).toHaveLength(20);
});
