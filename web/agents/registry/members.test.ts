import { expect, test } from 'vitest';
import { setupSchema, changes } from '../consumer-setup/setup-schema.ts';
import { nextIn } from '../../api/by-link.ts';
import { rowsOf, saysSomething } from './members.ts';
import { readRegistrySearch } from './search.ts';

const of = (schema: Record<string, unknown>): string[] =>
  rowsOf(schema).map(({ path, type, required, notes }) => [path, type, required ? 'required' : '', ...notes].join(' | '));

test('members of a schema are rows: nested ones, lists, unions, limits', () => {
  expect(
    of({
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, examples: ['Ada'] },
        age: { type: ['integer', 'null'], minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        tags: { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 3 },
        at: { type: 'object', properties: { city: { type: 'string', default: 'Bern' } } },
        parts: { type: 'array', items: { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } } },
        shape: { oneOf: [{ type: 'object', properties: { kind: { const: 'dot' } } }, { type: 'string' }] },
      },
    }),
  ).toEqual([
    'name | text | required | not empty | e.g. Ada',
    'age | integer or null |  | ≥ 0',
    'tags | list of one of |  | a, b | at most 3 items',
    'at | object | ',
    'at.city | text |  | default Bern',
    'parts | list of object | ',
    'parts[].id | uuid | ',
    'shape | object or text | ',
    'shape: dot | object | ',
    'shape.kind | dot | ',
    'shape: text | text | ',
  ]);
});

test('a schema of itself ends; one of nothing has no rows', () => {
  expect(of({ type: 'object', properties: { next: { $ref: '#' } } })).toEqual(['next | object | ']);
  const node = { type: 'object', properties: { after: { type: 'array', items: { $ref: '#/$defs/node' } } } };
  expect(of({ type: 'object', properties: { first: { $ref: '#/$defs/node' } }, $defs: { node } })).toEqual([
    'first | object | ',
    'first.after | list of object | ',
  ]);
  expect(rowsOf({})).toEqual([]);
  expect(saysSomething({ $schema: 'x' })).toBe(false);
  expect(of({ type: 'string' })).toEqual(['value | text | required']);
});

test('the next page is the one the header names', () => {
  expect(nextIn('</v1/agents?limit=2&cursor=abc%3D>; rel="next"')).toBe('abc=');
  expect(nextIn(null)).toBeUndefined();
});

test('an address is read with care', () => {
  expect(readRegistrySearch({ q: 7, tag: '', show: 'all', kind: ['x'], state: 'live' })).toEqual({ q: '7', state: 'live' });
});

test('setup: only what is missing must be typed, and only what differs is sent', () => {
  const field = { title: null, description: '', default: null, updated_at: null, scope: 'user' as const };
  const schema = setupSchema([
    { ...field, name: 'key', kind: 'secret', type: 'string', required: true, source: 'user', value: null },
    { ...field, name: 'region', kind: 'config', type: 'url', required: true, source: 'missing', value: null },
  ]);
  expect(schema).toMatchObject({ required: ['region'], properties: { key: { format: 'password' }, region: { format: 'uri' } } });
  expect(changes({ a: 1, b: 'x', c: true }, { a: 1, b: 'y' })).toEqual({ b: 'y', c: null });
});
