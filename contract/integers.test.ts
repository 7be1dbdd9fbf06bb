// Every integer that a caller may send ends in a column: none may be larger than what PostgreSQL takes there.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { contract } from './index.ts';
import { routesOf } from './inventory.ts';
import { isSchema } from './kit.ts';
import { runContext } from './run/run-context.ts';
import { MAX_INT32 } from './shared.ts';

const Bounds = z.object({ maximum: z.number().optional(), minimum: z.number().optional(), exclusiveMinimum: z.number().optional() });
type Bounds = z.infer<typeof Bounds>;

/** Columns of these are bigint. */
const LARGER = new Set([
  'monthly_budget_micros',
  'agent_run_budget_micros',
  'budget_micros',
  'reward_micros',
  'call_micros',
  'second_micros',
  'token_micros',
  'artifact_micros',
  'max_micros',
  'included_micros',
  'min_amount_micros',
  'min_cost_micros',
]);

function* integersIn(schema: unknown, name: string): Generator<{ name: string; schema: Bounds }> {
  if (typeof schema !== 'object' || schema === null) return;
  if ('type' in schema && [schema.type].flat().includes('integer')) yield { name, schema: Bounds.parse(schema) };
  for (const [key, member] of Object.entries(schema))
    yield* integersIn(member, /^(?:properties|items|anyOf|\d+|\$defs|additionalProperties)$/.test(key) ? name : key);
}

test('integers in params, queries, headers and bodies are bounded by their columns', () => {
  const wrong: string[] = [];
  let seen = 0;
  for (const { id, spec } of routesOf({ ...contract, runContext })) {
    const { params, query, headers, body } = spec;
    const schemas = [params, query, headers, body !== undefined && isSchema(body) ? body : undefined].filter((one) => one !== undefined);
    for (const schema of schemas) {
      const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      for (const { name, schema: found } of integersIn(json, id)) {
        seen += 1;
        const { maximum = Number.POSITIVE_INFINITY, exclusiveMinimum = Number.NEGATIVE_INFINITY, minimum = exclusiveMinimum } = found;
        if (minimum < -MAX_INT32 || maximum > (LARGER.has(name) ? 2 ** 43 : MAX_INT32)) wrong.push(`${id}: ${name} ${minimum}..${maximum}`);
      }
    }
  }
  expect(seen).toBeGreaterThan(20);
  expect([...new Set(wrong)]).toEqual([]);
});
