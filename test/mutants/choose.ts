// Chooses faults by a seed: each folder of production code has its share, each kind within a folder the same
// chance.
import { Random } from '#contract/wire/random.ts';
import { isOfProduction } from './production.ts';
import { type Mutant, mutantsOf } from './kinds.ts';

/** How many of forty. */
const SHARES: Readonly<Record<string, number>> = {
  core: 14,
  api: 5,
  host: 4,
  'sdk/typescript': 4,
  contract: 3,
  drivers: 3,
  cli: 2,
  web: 1,
  workflows: 1,
  activities: 1,
  worker: 1,
  imports: 1,
};
const ALL = Object.values(SHARES).reduce((sum, share) => sum + share, 0);

export function chooseMutants(sources: ReadonlyMap<string, string>, { seed, count }: { seed: number; count: number }): Mutant[] {
  const random = Random.of(seed);
  const pick = <T>(from: readonly T[]): T | undefined => (from.length === 0 ? undefined : from[random.below(from.length)]);
  const chosen: Mutant[] = [];
  for (const [folder, share] of Object.entries(SHARES)) {
    const files = [...sources.keys()].filter((file) => file.startsWith(`${folder}/`) && isOfProduction(file)).toSorted();
    const wanted = Math.max(1, Math.round((share * count) / ALL));
    for (let found = 0, tries = 0; found < wanted && tries < 1_000; tries += 1) {
      const file = pick(files) ?? '';
      const kinds = Object.values(Object.groupBy(mutantsOf(file, sources.get(file) ?? ''), ({ kind }) => kind));
      const mutant = pick(pick(kinds) ?? []);
      if (!mutant || chosen.some((one) => one.file === mutant.file)) continue;
      chosen.push(mutant);
      found += 1;
    }
  }
  return chosen.slice(0, count);
}
