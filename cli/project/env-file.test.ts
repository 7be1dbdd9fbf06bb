// --env-file takes a path as the shell does; the default file is the project's.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEnvFile } from './env-file.ts';

let project: string;
let elsewhere: string;
beforeAll(async () => {
  [project = '', elsewhere = ''] = await Promise.all(['svc-env-', 'svc-env-'].map((name) => mkdtemp(join(tmpdir(), name))));
  await writeFile(join(project, '.env.local'), 'OF=project\n');
  await writeFile(join(elsewhere, 'its.env'), 'OF=elsewhere\n');
});
afterAll(() => Promise.all([project, elsewhere].map((folder) => rm(folder, { recursive: true }))));

test('an absolute path, one from the shell, and one from the project', async () => {
  const file = join(elsewhere, 'its.env');
  for (const path of [file, relative(process.cwd(), file)]) expect(await readEnvFile(project, { path, named: true })).toEqual({ OF: 'elsewhere' });
  expect(await readEnvFile(project, { path: '.env.local', named: true })).toEqual({ OF: 'project' });
  expect(await readEnvFile(project, { path: '.env.local', named: false })).toEqual({ OF: 'project' });
  expect(await readEnvFile(elsewhere, { path: '.env.local', named: false })).toEqual({});
  await expect(readEnvFile(project, { path: 'none', named: true })).rejects.toThrow('--env-file: none cannot be read.');
});
