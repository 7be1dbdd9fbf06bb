// A bounded part of what `npm run test:openapi` does: the examples of the document, then one made-up request
// of each operation for as long as there is time.
import { expect, test } from 'vitest';
import { contract } from '#contract/index.ts';
import { routesOf } from '#contract/inventory.ts';
import { schemathesis } from './run.ts';

const SECONDS = 120;

test('schemathesis, within two minutes: every route that is served is in the document, and no answer breaks what it promises', async () => {
  const found = await schemathesis({ seed: '1', options: ['--phases', 'examples,fuzzing', '-n', '1'], seconds: SECONDS, stdio: 'pipe' });
  expect(
    found.failures.map(({ title, operations }) => `${title}: ${operations.join(', ')}`),
    found.printed,
  ).toEqual([]);
  expect(found.logged).toEqual([]);
  expect(found.operations.total).toBe(routesOf(contract).length);
  expect(found.operations.tested).toBeGreaterThan(0);
  expect(found.test_cases.generated).toBeGreaterThan(0);
});
