import { expect, test } from 'vitest';
import { problemsOf, type Facts } from './checks.ts';

const facts: Facts = {
  present: '0.1.2',
  branch: 'main',
  changed: [],
  changelog: '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- All.\n',
  scripts: ['release:fixture'],
};
const begun: Facts = { ...facts, present: '0.2.0', changelog: '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-30\n\n### Added\n\n- All.\n' };

test('a version that is higher, on a clean main with a changelog, is released', () => {
  expect(problemsOf('0.2.0', facts)).toEqual([]);
  expect(problemsOf('0.2.0-rc.1', facts)).toEqual([]);
});

test.each<[string, string, Partial<Facts>, RegExp]>([
  ['no version', 'next', {}, /^"next" is not a version\./],
  ['a version with a v', 'v0.2.0', {}, /is not a version/],
  ['the present version', '0.1.2', {}, /^0\.1\.2 is not higher than 0\.1\.2/],
  ['a lower one', '0.1.1', {}, /not higher/],
  ['another branch', '0.2.0', { branch: 'x' }, /^The branch is x\..*--any-branch/],
  ['changes', '0.2.0', { changed: ['README.md'] }, /^Commit or remove these changes first: README\.md$/],
  ['changes of a release that was not begun', '0.2.0', { changed: ['package.json'] }, /: package\.json$/],
  ['nothing to say', '0.2.0', { changelog: '# Changelog\n\n## [Unreleased]\n' }, /^CHANGELOG\.md has nothing under "Unreleased"/],
  ['nothing that makes the fixture', '0.2.0', { scripts: [] }, /^package\.json has no script release:fixture/],
])('%s is refused in one sentence', (_, version, more, sentence) => {
  const problems = problemsOf(version, { ...facts, ...more });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(sentence);
});

test('all problems are named at once; --any-branch allows another branch alone', () => {
  const bad = { ...facts, branch: 'x', changed: ['a'] };
  expect(problemsOf('0.1.0', bad)).toHaveLength(3);
  expect(problemsOf('0.1.0', bad, { anyBranch: true })).toHaveLength(2);
});

test('a release that was begun continues: over its own changes, not over others', () => {
  const own = ['package.json', 'package-lock.json', 'CHANGELOG.md', 'sdk/python/pyproject.toml', 'db/releases/0.2.0/rows.json'];
  expect(problemsOf('0.2.0', { ...begun, changed: own })).toEqual([]);
  expect(problemsOf('0.2.0', { ...begun, changed: [...own, 'api/main.ts'] })).toEqual([expect.stringContaining(': api/main.ts')]);
  expect(problemsOf('0.2.1', begun)).toEqual([expect.stringContaining('CHANGELOG.md has nothing under "Unreleased"')]);
});
