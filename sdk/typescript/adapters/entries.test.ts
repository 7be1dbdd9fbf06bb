// What is said of the adapters in more than one place, compared; and how little an author writes for one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { ADAPTERS } from './names.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');
const linesOf = (file: string): number =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '').length;

test('each is an entry of the package', () => {
  const entries = Object.keys(manifest.exports).filter((name) => name.startsWith('./adapters/'));
  expect(entries.toSorted()).toEqual(ADAPTERS.map((name) => `./adapters/${name}`).toSorted());
});

test('no framework is asked for', () => {
  expect(Object.keys(manifest.peerDependenciesMeta).toSorted()).toEqual(Object.keys(manifest.peerDependencies).toSorted());
  expect(manifest).not.toHaveProperty('dependencies');
});

test.each(ADAPTERS)('the example of %s is a project of its framework with at most ten lines more', (name) => {
  const agent = linesOf(join(EXAMPLES, name, 'agent.ts'));
  expect(agent).toBeLessThanOrEqual(10);
  // Its own files do not know of us.
  for (const file of ['support.ts', 'orders.ts']) expect(readFileSync(join(EXAMPLES, name, file), 'utf8')).not.toContain('@svc');
});
