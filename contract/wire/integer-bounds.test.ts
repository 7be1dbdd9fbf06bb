// A caller reads in the schema which whole numbers arrive.
import { expect, test } from 'vitest';
import { agentOpenApi } from './agent-openapi.ts';
import { AgentCard } from './card.ts';
import { withIntegerBounds } from './integer-bounds.ts';

const SAFE = { minimum: -9_007_199_254_740_991, maximum: 9_007_199_254_740_991 };

test('integers get the bounds that their author did not state, at every place of a schema, and nothing else does', () => {
  const schema = {
    type: 'object',
    properties: {
      type: { type: 'integer' },
      enum: { type: ['integer', 'null'], minimum: 1 },
      minimum: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9 },
      text: { type: 'string', default: 'integer', examples: [{ type: 'integer' }] },
      list: { type: 'array', items: { anyOf: [{ type: 'integer', maximum: 5 }, { type: 'number' }] } },
    },
    $defs: { id: { type: 'integer', const: 7 } },
  };
  expect(withIntegerBounds(schema)).toEqual({
    ...schema,
    properties: {
      ...schema.properties,
      type: { type: 'integer', ...SAFE },
      enum: { type: ['integer', 'null'], minimum: 1, maximum: SAFE.maximum },
      list: { type: 'array', items: { anyOf: [{ type: 'integer', minimum: SAFE.minimum, maximum: 5 }, { type: 'number' }] } },
    },
    $defs: { id: { type: 'integer', const: 7, ...SAFE } },
  });
});

test("an agent's OpenAPI document states them", () => {
  const skill = {
    id: 'find',
    name: 'find',
    description: '',
    input_schema: { type: 'object', properties: { id: { type: 'integer' } } },
    output_schema: { type: 'integer' },
  };
  const card = AgentCard.parse({ name: 'finder', description: '', version: '1.0.0', skills: [skill] });
  const document = JSON.stringify(agentOpenApi(card, { baseUrl: 'https://finder.test', requireBearer: false }));
  expect(document.match(/"maximum":9007199254740991/g)).toHaveLength(2);
});
