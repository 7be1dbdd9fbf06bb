import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** As a script would, on a machine without the programs. */
const bench = (...args: string[]) =>
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'main.ts'), ...args], {
    env: { PATH: '/nowhere', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    encoding: 'utf8',
  });

test('without wrk a quick run says in one sentence what to do, and starts nothing', () => {
  const { status, stdout, stderr } = bench('--quick');
  expect(status).toBe(1);
  expect(stderr.trim()).toMatch(/^This benchmark needs .*wrk.*: run it again with --yes, which installs them, or run sudo apt-get install -y .*wrk$/);
  expect(stdout.trim()).toBe('');
});

test('an unknown benchmark is answered with how to call', () => {
  const { status, stdout } = bench('no-such-benchmark');
  expect(status).toBe(2);
  expect(stdout).toContain('npm run bench -- NAME');
});
