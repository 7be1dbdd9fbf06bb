// A whole run that proves next to nothing fails; part of one does not; a misspelt id fails both.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let dir = '';
beforeAll(() => {
  // Inside the repository, so that vitest is found from there.
  dir = mkdtempSync(join(import.meta.dirname, '.reporter-'));
  const proving = (id: string) => `import { test } from 'vitest'; test('a', { meta: { verifies: ['${id}'] } }, () => {});`;
  writeFileSync(join(dir, 'right.test.ts'), proving('grants.wire'));
  writeFileSync(join(dir, 'typo.test.ts'), proving('grants.wier'));
  const reporter = JSON.stringify(join(import.meta.dirname, 'reporter.ts'));
  writeFileSync(
    join(dir, 'vitest.config.ts'),
    `import { SpecificationReporter } from ${reporter}; export default { test: { include: ['*.test.ts'], reporters: [new SpecificationReporter()] } };`,
  );
});
afterAll(() => rmSync(dir, { recursive: true }));

function run(...filters: string[]): { status: number | null; stderr: string } {
  const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  // The run around it may be a tier's.
  const env = { ...process.env, SVC_TEST_TIER: '', SVC_TEST_LIST: undefined };
  return spawnSync(process.execPath, [vitest, 'run', '--root', dir, ...filters], { encoding: 'utf8', env });
}

test('what was verified by nobody fails a whole run', () => {
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toContain('ask.timeout was verified by no test that ran and passed');
  expect(stderr).not.toContain('grants.wire was');
});

test('part of a run fails for a misspelt id alone', () => {
  expect(run('right')).toMatchObject({ status: 0, stderr: expect.not.stringContaining('verified by no test') });
  expect(run('typo')).toMatchObject({ status: 1, stderr: expect.stringContaining('grants.wier is no sentence') });
});
