// A remote agent whose schema is small as text and has millions of parts to who follows its references,
// however these are spelled.
import { expect, test } from 'vitest';
import { checkedSchema } from '#drivers/remote-agent/schemas.ts';

/** Each definition names the next one eight times: 8^12 parts. */
function bomb(refer: (level: number) => Record<string, string>, mark: (level: number) => Record<string, string> = () => ({})) {
  const $defs = Object.fromEntries(
    Array.from({ length: 12 }, (_, level) => [`l${level}`, { ...mark(level), anyOf: level === 11 ? [] : Array.from({ length: 8 }, () => refer(level + 1)) }]),
  );
  return { type: 'object', properties: { a: refer(0) }, $defs };
}

test.each([
  ['as it is usually written', bomb((level) => ({ $ref: `#/$defs/l${level}` }))],
  ['percent-encoded', bomb((level) => ({ $ref: `#/%24defs/l${level}` }))],
  ['percent-encoded in full', bomb((level) => ({ $ref: `#/%24%64efs/%6C${level}` }))],
  [
    'by an anchor',
    bomb(
      (level) => ({ $ref: `#l${level}` }),
      (level) => ({ $anchor: `l${level}` }),
    ),
  ],
  [
    'by an identifier',
    bomb(
      (level) => ({ $ref: `https://x.test/l${level}` }),
      (level) => ({ $id: `https://x.test/l${level}` }),
    ),
  ],
  [
    'dynamically',
    bomb(
      (level) => ({ $dynamicRef: `#l${level}` }),
      (level) => ({ $dynamicAnchor: `l${level}` }),
    ),
  ],
  ['dynamically, by a pointer', bomb((level) => ({ $dynamicRef: `#/$defs/l${level}` }))],
])('it is refused: %s', (_, schema) => {
  expect(JSON.stringify(schema).length).toBeLessThan(10_000);
  expect(() => checkedSchema(schema, 'The schema')).toThrow('parts once its references are followed');
});

test('one that contains itself, and one that leads nowhere, are kept', () => {
  const tree = { type: 'object', properties: { of: { $ref: '#/%24defs/node' } }, $defs: { node: { type: 'array', items: { $ref: '#/$defs/node' } } } };
  expect(checkedSchema(tree, 'The schema')).toEqual(tree);
  const lost = { type: 'object', properties: { of: { $ref: '#/$defs/none' } } };
  expect(checkedSchema(lost, 'The schema')).toEqual(lost);
});
