import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { expect, test } from 'vitest';
import { VERSION } from '#version.ts';
import { releasesOf, unreleasedOf, withRelease } from './changelog.ts';

const text = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
const HEAD = '# Changelog\n\nText.\n\n## [Unreleased]\n';
const TWO = `${HEAD}\n### Fixed\n\n- A thing.\n\n## [0.2.0] - 2026-11-30\n\n### Added\n\n- All.\n`;

test('the changelog of this repository can be read, each version has a date, and the newest is the version of package.json', () => {
  const releases = releasesOf(text);
  for (const { version, date } of releases) expect(date, version).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(releases.map(({ version }) => version)).toEqual(releases.map(({ version }) => version).toSorted(semver.rcompare));
  // Nothing was released before 0.2.0.
  if (semver.gte(VERSION, '0.2.0')) expect(releases[0]?.version).toBe(VERSION);
  else expect(releases).toEqual([]);
});

test('a release takes what was unreleased, and twice is once', () => {
  expect(unreleasedOf(TWO)).toEqual(['A thing.']);
  const released = withRelease(TWO, { version: '0.3.0', date: '2026-12-24' });
  expect(released).toBe(TWO.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.3.0] - 2026-12-24\n'));
  expect(releasesOf(released)).toEqual([
    { version: '0.3.0', date: '2026-12-24' },
    { version: '0.2.0', date: '2026-11-30' },
  ]);
  expect(unreleasedOf(released)).toEqual([]);
  expect(withRelease(released, { version: '0.3.0', date: '2027-01-01' })).toBe(released);
});

test('what is no changelog is refused', () => {
  expect(() => releasesOf(`${HEAD}\n## [0.2.0]\n`)).toThrow('CHANGELOG.md does not have the form');
  expect(() => releasesOf(`${HEAD}\n## [0.2.0] - Unreleased\n`)).toThrow('0.2.0 has no date');
  expect(() => releasesOf('Nothing')).toThrow('CHANGELOG.md does not have the form');
});
