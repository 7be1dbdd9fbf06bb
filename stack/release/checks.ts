// What must be true before a version is released. Pure: main.ts looks, this decides.
import semver from 'semver'; // npm's own order of versions
import { VERSIONED } from '../version.ts';
import { CHANGELOG, releasesOf, unreleasedOf } from './changelog.ts';

export const FIXTURE_SCRIPT = 'release:fixture';

export interface Facts {
  /** What package.json says. */
  present: string;
  branch: string;
  /** Paths that git reports as changed or new. */
  changed: readonly string[];
  changelog: string;
  scripts: readonly string[];
}

/** Sentences that say what to do; empty: it can be released, or continued where it was cut off. */
export function problemsOf(version: string, facts: Facts, { anyBranch = false } = {}): string[] {
  if (semver.valid(version) !== version) return [`"${version}" is not a version. Give one as semantic versioning has it, e.g. npm run release -- 1.2.3`];
  const isBegun = facts.present === version && releasesOf(facts.changelog).some((one) => one.version === version);
  const problems: string[] = [];
  if (facts.branch !== 'main' && !anyBranch) problems.push(`The branch is ${facts.branch}. Release from main, or add --any-branch.`);
  const foreign = facts.changed.filter((path) => !isBegun || !isWritten(path, version));
  if (foreign.length > 0) problems.push(`Commit or remove these changes first: ${foreign.slice(0, 5).join(', ')}${foreign.length > 5 ? ' …' : ''}`);
  if (!isBegun && !semver.gt(version, facts.present)) problems.push(`${version} is not higher than ${facts.present}, the present version.`);
  if (!isBegun && unreleasedOf(facts.changelog).length === 0)
    problems.push(`${CHANGELOG} has nothing under "Unreleased": say there what a person will notice.`);
  if (!facts.scripts.includes(FIXTURE_SCRIPT))
    problems.push(
      `package.json has no script ${FIXTURE_SCRIPT}, which makes the fixture of the release: a release without its fixture could never be upgraded from.`,
    );
  return problems;
}

/** By the release itself, so that it can be run again. */
function isWritten(path: string, version: string): boolean {
  return path === CHANGELOG || path.startsWith(`db/releases/${version}/`) || VERSIONED.some(({ file }) => file === path);
}
