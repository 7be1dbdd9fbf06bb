// Clients branch on the status, then on the code: a code that comes with two statuses means two things.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as errors from '../../core/errors.ts';

test('every error code is thrown with one status', () => {
  const kinds = Object.entries(errors)
    .filter(([, value]) => typeof value === 'function' && value.prototype instanceof errors.DomainError)
    .map(([name]) => name);
  const thrown = new RegExp(`new (${kinds.join('|')})\\(\\s*(?:[^'()]*\\? )?'([a-z0-9_]+)'(?: : '([a-z0-9_]+)')?`, 'g');
  const files = globSync('{activities,api,core,drivers,worker,workflows}/**/*.ts', { exclude: ['**/*.test.ts', '**/testing.ts', '**/testing/**', '**/test/**'] });
  const kindsOf = new Map<string, Map<string, string>>();
  for (const file of files) {
    for (const [, kind = '', ...codes] of readFileSync(file, 'utf8').matchAll(thrown)) {
      for (const code of codes.filter((one) => one !== undefined)) kindsOf.set(code, (kindsOf.get(code) ?? new Map<string, string>()).set(kind, file));
    }
  }
  expect(kindsOf.size).toBeGreaterThan(150);
  const several = [...kindsOf].filter(([, kindsOfCode]) => kindsOfCode.size > 1).map(([code, kindsOfCode]) => `${code}: ${[...kindsOfCode].flat().join(' ')}`);
  expect(several).toEqual([]);
}); // prettier-ignore
