// One fact of a code stands in one place; what the source uses is in the list, and what is in the list is
// used.
// reads: activities/ api/ contract/ core/ drivers/ host/ sdk/typescript/ workflows/
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contract } from '../index.ts';
import { routesOf } from '../inventory.ts';
import { ERROR_LISTS, ERRORS, isErrorCode } from './index.ts';
import type { ErrorEntry } from './kit.ts';
import { knownCodes } from './of-route.ts';
import { errorReference } from './reference.ts';

const ROOT = join(import.meta.dirname, '../..');
const entries: [string, ErrorEntry][] = Object.entries(ERRORS);
const sources = globSync('{activities,api,contract,core,drivers,host,sdk/typescript,workflows}/**/*.ts', {
  cwd: ROOT,
  exclude: [
    '**/*.test.ts',
    '**/testing.ts',
    '**/testing/**',
    '**/test/**',
    '**/support/**',
    'contract/errors/**',
    'core/studio/recipe/*/project/**',
    '**/node_modules/**',
  ],
}).map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

/** zod's own kinds of issues, and `'code' in error`. */
const NOT_OURS = /^(?:code|custom|invalid_\w+|unrecognized_keys|contract)$/;

test('no code stands in two lists', () => {
  const all = Object.values(ERROR_LISTS).flatMap((list) => Object.keys(list));
  expect(all.toSorted()).toEqual([...new Set(all)].toSorted());
  expect(all.length).toBe(entries.length);
});

test('each has one sentence for what it means and one for what to do', () => {
  const long = entries.flatMap(([code, { meaning, remedy }]) =>
    [meaning, remedy].filter((text) => !/^[A-Z“a-z].{3,110}[.]$/.test(text)).map((text) => `${code}: ${text}`),
  );
  expect(long).toEqual([]);
});

test('a code in the source is in the list', () => {
  const unknown = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/\bcode(?::| =) '([a-z][a-z0-9]*(?:_[a-z0-9]+)*)'/g)].flatMap(([, code = '']) =>
      isErrorCode(code) || NOT_OURS.test(code) ? [] : [`${file}: ${code}`],
    ),
  );
  expect(sources.length).toBeGreaterThan(500);
  expect(unknown).toEqual([]);
});

test('a code in the list is in the source', () => {
  const words = new Set(
    sources.flatMap(({ text }) => [...text.matchAll(/['"]([a-z][a-z0-9_]*)['"]|\b([a-z][a-z0-9_]*):/g)].flatMap(([, quoted, key]) => [quoted ?? key ?? ''])),
  );
  expect(entries.map(([code]) => code).filter((code) => !words.has(code))).toEqual([]);
});

test('what a declaration tells of codes is within its statuses', () => {
  for (const { id, spec } of routesOf(contract)) {
    if (spec.scope === 'account') expect(knownCodes(spec, 401), id).toContain('unauthenticated');
    if (spec.at.includes('/agents/{name}') && spec.errors.includes(404)) expect(knownCodes(spec, 404), id).toContain('agent_not_found');
  }
});

test('docs/errors.md says what the list says', () => {
  expect(readFileSync(join(ROOT, 'docs/errors.md'), 'utf8'), 'run: npm run contract').toBe(errorReference());
});
