// Which test files a run is for. Without a word, as with `npx vitest run core/agents`, all of them may run.
import { existsSync, readFileSync } from 'node:fs';
import { type Group, groupOf, tierOf } from './groups.ts';

/** The first tier as a whole: what other tiers run is left out, and its budgets hold. */
const TIER = 'SVC_TEST_TIER';
/** A file with a path on each line, from the root of the repository, in the order in which they shall run. */
export const LIST = 'SVC_TEST_LIST';
/** What passed is noted for test:all. */
export const REMEMBER = 'SVC_TEST_REMEMBER';

type Environment = Readonly<Record<string, string | undefined>>;

export const isWholeTier = (env: Environment = process.env): boolean => env[TIER] === 'test';
export const remembers = (env: Environment = process.env): boolean => env[REMEMBER] === '1';

/** The run names its files, or is the first tier alone. */
export const isPart = (env: Environment = process.env): boolean => isWholeTier(env) || env[LIST] !== undefined;

/** Undefined: the run names no files. */
export function listedFiles(env: Environment = process.env): string[] | undefined {
  const file = env[LIST];
  return file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : undefined;
}

/** Patterns of a group's files for this run. @param all the group's own */
export function includedIn(group: Group, all: readonly string[], env: Environment = process.env): string[] {
  const listed = listedFiles(env);
  return listed === undefined ? [...all] : [...listed.filter((file) => groupOf(file) === group), NONE];
}

/**
 * What this run does not run of a group. @param files its files, from the root of the repository; asked where
 * it matters
 */
export function leftOut(files: () => readonly string[], env: Environment = process.env): string[] {
  return isWholeTier(env) ? files().filter((file) => tierOf(file) !== 'test') : [];
}

/** A project without a pattern would take vitest's own. */
const NONE = '.none.test.ts';
