// The end of a run, from real runs over files made for it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const passing = `import { test } from 'vitest'; test('a', () => {});`;

/** Runs vitest over files of its own, inside the repository, so that vitest is found from there. */
function run(
  files: Record<string, string>,
  { ci = false, budget }: { ci?: boolean; budget?: Record<string, number> } = {},
): { lines: string[]; status: number | null } {
  const dir = mkdtempSync(join(import.meta.dirname, '.reporter-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    const [reporter, times, orphans] = ['count-reporter.ts', 'times-reporter.ts', 'left-alone.ts'].map((name) =>
      JSON.stringify(join(import.meta.dirname, name)),
    );
    const measure = JSON.stringify(join(import.meta.dirname, 'measure.ts'));
    writeFileSync(
      join(dir, 'vitest.config.ts'),
      `import { CountReporter } from ${reporter}; import { TimesReporter } from ${times}; import { Orphans } from ${orphans};
export default { test: { name: 'small', testTimeout: 200_000, setupFiles: [${measure}], reporters: ['default', new TimesReporter({ budget: ${JSON.stringify(budget)}, orphans: new Orphans() }), new CountReporter()] } };`,
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
  'busy.test.ts': `import { describe, test } from 'vitest'; test('a', () => { while (process.cpuUsage().user < 1_000_000); }); test.skip('b', () => {});
describe.skipIf(true)('s', () => { test('c', () => {}); });`,
  'quick.test.ts': passing,
};

test('skipped tests are counted, and the files that took most processor time are shown first', () => {
  const { lines, status } = run(skipping);
  expect([lines.at(-1), status]).toEqual(['2 passed, 0 failed, 2 skipped', 0]);
  const begin = lines.indexOf('Processor seconds, and seconds, of the 2 largest of 2 files:');
  expect(lines.slice(begin + 1, begin + 3)).toEqual([
    expect.stringMatching(/^ +\d+\.\d +\d+\.\d {2}.*busy\.test\.ts$/),
    expect.stringMatching(/quick\.test\.ts$/),
  ]);
  expect(Number(lines[begin + 1]?.trim().split(/ +/)[0])).toBeGreaterThanOrEqual(1);
});

test('the time of a program that a test starts is the time of its file, also where its parent ends before it', () => {
  const busy = (seconds: number): string => `const end = Date.now() + 60000; while (process.cpuUsage().user < ${seconds} * 1e6 && Date.now() < end);`;
  const starting = `import { spawn, spawnSync } from 'node:child_process'; import { existsSync, rmSync } from 'node:fs'; import { expect, test, vi } from 'vitest';
test('waits for it', () => { spawnSync(process.execPath, ['-e', ${JSON.stringify(busy(1))}]); });
test('its parent is gone', async () => {
  const marker = import.meta.filename + '.done';
  const grandchild = ${JSON.stringify(`${busy(4)} require('node:fs').writeFileSync(process.argv[1], '');`)};
  const child = 'require("node:child_process").spawn(process.execPath, ["-e", process.argv[1], process.argv[2]], { detached: true, stdio: "ignore" }).unref()';
  spawnSync(process.execPath, ['-e', child, grandchild, marker]);
  await vi.waitFor(() => expect(existsSync(marker)).toBe(true), 60_000);
});`;
  const { lines } = run({ 'starting.test.ts': starting, 'quick.test.ts': passing });
  const line = lines.find((one) => one.endsWith('starting.test.ts') && !one.includes('✓')) ?? '';
  // A second for the one, and of the four of the other what the last look saw.
  expect(Number(line.trim().split(/ +/)[0])).toBeGreaterThan(3);
});

test('in CI each skipped test is a failure', () => {
  const { lines, status } = run(skipping, { ci: true });
  expect([lines.at(-1), status]).toEqual(['2 passed, 2 failed', 1]);
  const named = lines.filter((line) => line.startsWith('Skipped, which is a failure in CI: '));
  expect(named.map((line) => line.split('busy.test.ts > ')[1])).toEqual(['b', 's > c']);
});

test('a group that is over its budget fails the run and names its files', () => {
  const { lines, status } = run({ 'a.test.ts': passing, 'b.test.ts': passing }, { budget: { small: 0.000_1, whole: 1_000 } });
  expect([lines.at(-1), status]).toEqual(['2 passed, 0 failed', 1]);
  expect(lines.filter((one) => one.startsWith('The group small took'))).toEqual([expect.stringMatching(/of 0\.0\. Most: .*[ab]\.test\.ts \d/)]);
  expect(run({ 'a.test.ts': passing, 'b.test.ts': passing }, { budget: { small: 1_000, whole: 0.000_1 } }).status).toBe(1);
  expect(run({ 'a.test.ts': passing, 'b.test.ts': passing }, { budget: { small: 1_000, whole: 1_000 } }).status).toBe(0);
});

test('a test that passed at its second try is named, with what its first try said', () => {
  const unsure = `import { expect, test } from 'vitest'; let tries = 0; test('a', { retry: 1 }, () => expect(++tries).toBe(2));`;
  const { lines, status } = run({ 'unsure.test.ts': unsure }, { ci: true });
  expect([lines.at(-1), status]).toEqual(['1 passed, 0 failed', 0]);
  expect(lines.filter((line) => line.startsWith('Failed once, then passed: '))).toEqual([expect.stringMatching(/unsure\.test\.ts > a: not on the list/)]);
  expect(lines.join('\n')).toMatch(
    /Failed once, then passed: .*\n {2}AssertionError: expected 1 to be 2.*\n {6}at .*unsure\.test\.ts:1:\d+\n1 passed, 0 failed/,
  );
});

test.each([
  [{ compute: 3.5, system: 0 }, 'computing 1000.00, system 0.00'],
  [{ compute: 0, system: 1.6 }, 'computing 0.00, system 1000.00'],
])('a budget grows where a processor is slower than the one that it is for: %o', (pieces, said) => {
  const slow = `import { afterAll, test } from 'vitest'; test('a', () => {}); afterAll(({}, suite) => { Object.defineProperty(suite.file.meta, 'pieces', { enumerable: true, get: () => (${JSON.stringify(pieces)}), set() {} }); });`;
  const { lines, status } = run({ 'a.test.ts': slow, 'b.test.ts': slow }, { budget: { small: 0.01, whole: 0.1 } });
  expect([lines.at(-1), status]).toEqual(['2 passed, 0 failed', 0]);
  expect(lines).toContain(`One second of the machine that the budgets are for was 1000.00 here (${said}).`);
});
