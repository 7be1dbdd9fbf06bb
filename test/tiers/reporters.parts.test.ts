// The end of a run, from real runs over files made for it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const passing = `import { test } from 'vitest'; test('a', () => {});`;

/** Runs vitest over files of its own, inside the repository, so that vitest is found from there. */
function run(files: Record<string, string>, { ci = false, budgetSeconds = 60 } = {}): { lines: string[]; status: number | null } {
  const dir = mkdtempSync(join(import.meta.dirname, '.reporter-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    const [reporter, times] = ['reporter.ts', 'times.ts'].map((name) => JSON.stringify(join(import.meta.dirname, name)));
    writeFileSync(
      join(dir, 'vitest.config.ts'),
      `import { CountReporter } from ${reporter}; import { TimesReporter } from ${times};
export default { test: { name: 'small', reporters: ['default', new TimesReporter({ small: { budgetSeconds: ${budgetSeconds} } }), new CountReporter()] } };`,
    );
    const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
    const env = { ...process.env, CI: String(ci), NO_COLOR: '1' };
    const { stdout, status } = spawnSync(process.execPath, [vitest, 'run', '--root', dir], { encoding: 'utf8', env });
    return { lines: stdout.trimEnd().split('\n'), status };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

test('counts what passed, failed and was skipped; a file that does not load is a failure', () => {
  const { lines, status } = run({
    'mixed.test.ts': `import { expect, test } from 'vitest'; test('a', () => {}); test('b', () => expect(1).toBe(2)); test.skip('c', () => {}); test.todo('d');`,
    'broken.test.ts': `import './not-there.ts';`,
  });
  expect(lines.at(-1)).toBe('1 passed, 2 failed, 2 skipped');
  expect(status).toBe(1);
});

const skipping = {
  'slow.test.ts': `import { describe, test } from 'vitest'; test('a', () => new Promise((done) => setTimeout(done, 500))); test.skip('b', () => {});
describe.skipIf(true)('s', () => { test('c', () => {}); });`,
  'quick.test.ts': passing,
};

test('skipped tests and groups over their budget are shown, with the slowest files', () => {
  const { lines, status } = run(skipping, { budgetSeconds: 0.1 });
  expect([lines.at(-1), status]).toEqual(['2 passed, 0 failed, 2 skipped', 0]);
  const begin = lines.indexOf('The slowest of 2 files:');
  expect(lines.slice(begin + 1, begin + 3)).toEqual([expect.stringMatching(/^ +\d+\.\d s {2}.*slow\.test\.ts$/), expect.stringMatching(/quick\.test\.ts$/)]);
  expect(lines.at(begin + 4)).toMatch(/ s {2}small \(2 files, budget 0\.1 s\): more than half over its budget$/);
});

test('in CI each skipped test is a failure', () => {
  const { lines, status } = run(skipping, { ci: true });
  expect([lines.at(-1), status]).toEqual(['2 passed, 2 failed', 1]);
  const named = lines.filter((line) => line.startsWith('Skipped, which is a failure in CI: '));
  expect(named.map((line) => line.split('slow.test.ts > ')[1])).toEqual(['b', 's > c']);
});

test('in CI a group far over its budget fails the run', () => {
  const { lines, status } = run({ 'a.test.ts': passing, 'b.test.ts': passing }, { ci: true, budgetSeconds: 0.001 });
  expect([lines.at(-1), status]).toEqual(['2 passed, 0 failed', 1]);
});

test('a test that passed at its second try is named', () => {
  const unsure = `import { expect, test } from 'vitest'; let tries = 0; test('a', { retry: 1 }, () => expect(++tries).toBe(2));`;
  const { lines, status } = run({ 'unsure.test.ts': unsure }, { ci: true });
  expect([lines.at(-1), status]).toEqual(['1 passed, 0 failed', 0]);
  expect(lines.filter((line) => line.startsWith('Failed once, then passed: '))).toEqual([expect.stringMatching(/unsure\.test\.ts > a$/)]);
});
