// No table of a release goes unproved: the newest fixture fills it, or db/releases/empty.ts says why not.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EMPTY } from '#db/releases/empty.ts';
import { faultsOf } from './make.ts';
import { fixtures, readManifest, RELEASES } from './restored.ts';
import type { Dump } from './tables.ts';

const byVersion = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

test('the newest fixture fills every table but those that are listed with a reason, and none of these', async () => {
  const newest = (await fixtures()).toSorted(byVersion).at(-1);
  if (newest === undefined) throw new Error('db/releases has no fixture: npm run release:fixture -- <version>');
  const { rows } = await readManifest(join(RELEASES, newest));
  const dumps = Object.entries(rows).map(([table, count]): [string, Dump] => [table, [[], ...Array.from({ length: count }, () => [])]]);
  expect(faultsOf(new Map(dumps))).toEqual([]);
  expect(Object.keys(EMPTY).filter((table) => rows[table] === undefined)).toEqual([]);
  for (const [table, reason] of Object.entries(EMPTY)) expect(reason.length, table).toBeGreaterThan(20);
});

test('a table that is empty and not listed is named, and so is one that is listed and filled', () => {
  const [listed = ''] = Object.keys(EMPTY);
  const dump = new Map<string, Dump>([
    ['of_tomorrow', [['id']]],
    [listed, [['id'], ['1']]],
  ]);
  expect(faultsOf(dump)).toEqual([expect.stringContaining('of_tomorrow is empty'), expect.stringContaining(`${listed} is filled`)]);
});
