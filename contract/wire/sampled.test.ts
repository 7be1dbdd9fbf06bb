import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { modelOf } from './arguments.ts';
import { randomOf, sampledOf } from './sampled.ts';

const schemaOf = (model: z.ZodType): Record<string, unknown> => ({ ...z.toJSONSchema(model) });

const INPUTS: Record<string, z.ZodType> = {
  texts: z.strictObject({ short: z.string().min(3).max(5), mail: z.email(), id: z.uuid(), at: z.iso.datetime(), link: z.url() }),
  numbers: z.strictObject({
    whole: z.int().min(3).max(9),
    part: z.number().gt(0).lt(1),
    step: z.number().multipleOf(5).min(5).max(20),
    below: z.number().max(-5),
  }),
  choices: z.strictObject({ word: z.enum(['a', 'b']), one: z.literal(7), either: z.union([z.string(), z.int()]), maybe: z.string().nullable() }),
  nested: z.strictObject({
    list: z.array(z.strictObject({ n: z.int() })).min(2),
    inner: z.strictObject({ deep: z.strictObject({ on: z.boolean() }) }),
    extra: z.string().optional(),
  }),
};

/**
 * Output of the generator when proofs started to name their seeds: with other numbers their cases could not
 * be made again.
 */
const GOLDEN = [0.11660240683704615, 0.050893415696918964, 0.13099596137180924];

describe('arguments made from a schema and a seed', () => {
  test.each(Object.entries(INPUTS))('fit: %s', (_, model) => {
    const schema = schemaOf(model);
    for (let n = 0; n < 200; n += 1) {
      const value = sampledOf(schema, `seed-${n}`);
      expect(modelOf(schema).safeParse(value).success, JSON.stringify(value)).toBe(true);
    }
  });

  test('are the same for the same seed and attempt, and others for another', () => {
    const schema = schemaOf(INPUTS['nested'] ?? z.never());
    expect(sampledOf(schema, 'a')).toEqual(sampledOf(schema, 'a'));
    const made = new Set(Array.from({ length: 20 }, (_, n) => JSON.stringify(sampledOf(schema, 'a', n))));
    expect(made.size).toBeGreaterThan(15);
  });

  test('follow references, and end where a schema contains itself', () => {
    const tree = {
      type: 'object',
      properties: { next: { $ref: '#' }, leaf: { $ref: '#/$defs/leaf' } },
      required: ['next', 'leaf'],
      $defs: { leaf: { const: 4 } },
    };
    expect(sampledOf(tree, 'a')).toMatchObject({ leaf: 4, next: { leaf: 4 } });
    const circle = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
    expect(sampledOf(circle, 'a')).toEqual({});
  });

  test('are bounded, whatever a schema asks for', () => {
    const wide = { type: 'object', properties: { list: { type: 'array', minItems: 1e9, items: { type: 'string', minLength: 1e9 } } }, required: ['list'] };
    expect(JSON.stringify(sampledOf(wide, 'a')).length).toBeLessThan(600_000);
    const lists = (depth: number): object => (depth === 0 ? { type: 'integer' } : { type: 'array', minItems: 50, items: lists(depth - 1) });
    const deep = { type: 'object', properties: { list: lists(5) }, required: ['list'] };
    expect(JSON.stringify(sampledOf(deep, 'a')).length).toBeLessThan(100_000);
  });

  test('stay what they are from one version of the platform to the next', () => {
    const next = randomOf('seed');
    expect([next(), next(), next()]).toEqual(GOLDEN);
  });
});
