// The vectors that all languages share, in Python, and its style. What else the SDK tests of itself is in
// python.parts.test.ts.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { PYTHON, pythonWithSdk, SDK, WITHOUT_PYTHON } from '../support/languages/python.ts';

it.skipIf(!PYTHON)(`the Python SDK reproduces the vectors (${PYTHON ?? WITHOUT_PYTHON})`, async () => {
  const python = await pythonWithSdk();
  const { stdout } = await promisify(execFile)(python, ['-m', 'pytest', '-p', 'no:cacheprovider', 'tests/test_golden.py'], { cwd: SDK });
  expect(stdout).toMatch(/^\d+ passed in /m);
});

it.skipIf(!PYTHON)('the Python SDK keeps its style', async () => {
  const python = await pythonWithSdk();
  for (const args of [['check'], ['format', '--check']]) await promisify(execFile)(python, ['-m', 'ruff', ...args, '--no-cache', '.'], { cwd: SDK });
});
