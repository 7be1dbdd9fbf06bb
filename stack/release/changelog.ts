// CHANGELOG.md in the form of Keep a Changelog 1.1.0. keep-a-changelog (MIT, maintained) reads it: a file
// that it cannot read is no changelog.
import { type Changelog, parser, type Release } from 'keep-a-changelog';

export const CHANGELOG = 'CHANGELOG.md';
const UNRELEASED = '## [Unreleased]\n';
const KINDS = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security'];

export interface Released {
  version: string;
  /** `2026-11-30` */
  date: string;
}

/** Newest first. @throws Error with the line that is wrong */
export function releasesOf(text: string): Released[] {
  return read(text).releases.flatMap(({ version, date }) => {
    if (version === undefined) return [];
    if (date === undefined) throw new Error(`${CHANGELOG}: ${version} has no date`);
    return [{ version, date: date.toISOString().slice(0, 10) }];
  });
}

/** What would be released; empty: nothing. */
export function unreleasedOf(text: string): string[] {
  const release = read(text).findRelease();
  return release === undefined ? [] : changesOf(release);
}

function read(text: string): Changelog {
  try {
    return parser(text);
  } catch (error) {
    throw new Error(`${CHANGELOG} does not have the form of Keep a Changelog: a version is "## [1.2.3] - 2026-11-30". ${String(error)}`, { cause: error });
  }
}

function changesOf({ changes }: Release): string[] {
  return KINDS.flatMap((kind) => (changes.get(kind) ?? []).map(({ title }) => title));
}

/** With what is unreleased under the version; a text that has the version already stays as it is. */
export function withRelease(text: string, { version, date }: Released): string {
  if (releasesOf(text).some((one) => one.version === version)) return text;
  return text.replace(UNRELEASED, () => `${UNRELEASED}\n## [${version}] - ${date}\n`);
}
