// Arguments that fit a schema, made with a seed.
import type { JsonSchema } from '#contract/wire/arguments.ts';
import { sampledOf } from '#contract/wire/sampled.ts';
import { issuesIn } from './issues-in.ts';

/** A schema whose rules the maker does not know may need some tries. */
const TRIES = 50;

export function fittingArgs(schema: JsonSchema, seed: string): JsonSchema | undefined {
  for (let n = 0; n < TRIES; n += 1) {
    const made = sampledOf(schema, seed, n);
    if (issuesIn(schema, made).length === 0) return made;
  }
  return undefined;
}
