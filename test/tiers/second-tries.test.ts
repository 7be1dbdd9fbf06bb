import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { repository } from '#stack/setup/folders.mjs';
import { noteSecondTry, secondTries } from './second-tries.ts';

/** Lower it with each that is mended; it is never raised. */
const MOST = 1;

test('the list of second tries says what is known of each, names files that exist, and only shrinks', () => {
  const listed = Object.entries(secondTries());
  expect(listed.length).toBeLessThanOrEqual(MOST);
  for (const [name, known] of listed) {
    expect(existsSync(join(repository, name.split(' > ')[0] ?? '')), name).toBe(true);
    expect(known.length, `say what is known of: ${name}`).toBeGreaterThan(20);
  }
});

test('a second try is added once, and not in CI', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-second-tries-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'list.json');
  writeFileSync(file, '{ "a.test.ts > known": "a slow machine" }');
  const written = (): unknown => JSON.parse(readFileSync(file, 'utf8'));
  vi.stubEnv('CI', 'true');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(noteSecondTry('a.test.ts > known', file)).toBe(': a slow machine');
  expect(noteSecondTry('a.test.ts > new', file)).toContain('not on the list');
  vi.stubEnv('CI', '');
  expect(noteSecondTry('a.test.ts > new', file)).toContain('added');
  expect(written()).toEqual({ 'a.test.ts > known': 'a slow machine', 'a.test.ts > new': '' });
});
