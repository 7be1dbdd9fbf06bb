// Other people's generators on our document: openapi-typescript (MIT) and openapi-python-client (MIT), both
// maintained and the most used of their kind.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { globSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '#api/http/openapi.ts';
import { contract } from '#contract/index.ts';
import { routesOf } from '#contract/inventory.ts';
import { PYTHON_CLIENT_CONFIG } from './generators.ts';
import { pythonWith } from '../support/languages/python.ts';

const run = promisify(execFile);
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-openapi-'));
  await writeFile(join(dir, 'openapi.json'), JSON.stringify(openApiDocument(contract, 'http://localhost:8080')));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('openapi-typescript: what it generates compiles, strictly', async () => {
  await run('npx', ['--yes', 'openapi-typescript@7.13.0', 'openapi.json', '-o', 'api.ts'], { cwd: dir });
  const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
  const strict = ['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--target', 'esnext', '--module', 'nodenext'];
  await run(tsc, [...strict, 'api.ts'], { cwd: dir });
}); // prettier-ignore

test('openapi-python-client: every operation, without a warning', async () => {
  const python = await pythonWith('openapi-python-client-0.29.1', ['openapi-python-client==0.29.1']);
  await writeFile(join(dir, 'config.yml'), PYTHON_CLIENT_CONFIG);
  const generate = ['generate', '--path', 'openapi.json', '--config', 'config.yml', '--output-path', 'client', '--meta', 'none', '--fail-on-warning'];
  const { stdout, stderr } = await run(python, ['-m', 'openapi_python_client', ...generate], { cwd: dir });
  expect(stdout + stderr).not.toMatch(/warning/i);
  const operations = globSync('api/*/*.py', { cwd: join(dir, 'client') }).filter((file) => !file.endsWith('__init__.py'));
  expect(operations).toHaveLength(routesOf(contract).length);
  await run(python, ['-m', 'compileall', '-q', 'client'], { cwd: dir });
});
