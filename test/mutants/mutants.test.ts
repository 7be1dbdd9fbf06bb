import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '#stack/setup/folders.mjs';
import { HAND_MADE } from './by-hand.ts';
import { chooseMutants } from './choose.ts';
import { mutantsOf } from './kinds.ts';

const TEXT = `import type { Ctx } from './ctx.ts';
export async function claim(ctx: Ctx, slug: string): Promise<void> {
  if (slug === '') throw new Error('no name');
  await ctx.db('bounties').where({ slug, state: 'open' }).update({ state: 'claimed' });
  await audit(ctx, 'bounty.claim');
}
export const routes = { claim: { status: 201 } };
`;

test('a refusal, a query, an event, a comparison and a status can be wrong', () => {
  const found = mutantsOf('core/money/claim.ts', TEXT).map(({ kind, line, after }) => [kind, line, after]);
  expect(found).toEqual(
    expect.arrayContaining([
      ['a refusal is gone', 3, ';'],
      ['a comparison is wrong', 3, ' !== '],
      ['a query reaches too much', 4, "{ state: 'open' }"],
      ['a query reaches too much', 4, '{ slug }'],
      ['a step is left out', 4, ';'],
      ['an event is lost', 5, ';'],
      ['a wrong status', 7, '200'],
    ]),
  );
  expect(found).toHaveLength(7);
});

test('a seed chooses the same faults each time, in every folder, none twice in a file', () => {
  const folders = ['core', 'api', 'host', 'sdk/typescript', 'contract', 'drivers', 'cli', 'web', 'workflows', 'activities', 'worker', 'imports'];
  const sources = new Map(folders.flatMap((folder) => Array.from({ length: 20 }, (_, index): [string, string] => [`${folder}/${index}.ts`, TEXT])));
  const chosen = chooseMutants(sources, { seed: 7, count: 40 });
  expect(chosen).toEqual(chooseMutants(sources, { seed: 7, count: 40 }));
  expect(chosen).not.toEqual(chooseMutants(sources, { seed: 8, count: 40 }));
  expect(chosen).toHaveLength(40);
  expect(new Set(chosen.map(({ file }) => file)).size).toBe(40);
  for (const folder of folders)
    expect(
      chosen.some(({ file }) => file.startsWith(`${folder}/`)),
      folder,
    ).toBe(true);
});

test('each fault that was made by hand has its place, one in each folder', () => {
  const folders = HAND_MADE.map(({ file }) => /^(?:sdk\/)?[^/]+/.exec(file)?.[0]);
  expect(new Set(folders).size).toBe(HAND_MADE.length);
  for (const { file, before, after } of HAND_MADE) {
    expect(readFileSync(join(repository, file), 'utf8').split(before), file).toHaveLength(2);
    expect(after).not.toBe(before);
  }
});
