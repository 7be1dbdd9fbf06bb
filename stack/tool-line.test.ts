// As a person does it: the line that `npm run up` prints, in a shell of another folder, then the tool by its
// name.
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION } from '#version.ts';
import { toolLine } from './tool-line.ts';

const root = join(import.meta.dirname, '..');
let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'svc elsewhere-')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function shell(script: string): Promise<string> {
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script], { cwd: folder, env });
  return stdout;
}

test('after the line, svc is the tool of this clone in any folder, and its advice says svc', async () => {
  expect(await shell(`${toolLine()}; svc --version`)).toBe(`${VERSION}\n`);
  expect(await shell(`${toolLine()}; svc whoami 2>&1 || true`)).toContain('with: svc login');
});

test('the folder of the line brings that name alone', async () => {
  expect((await shell(`ls ${join(root, 'cli/bin')}`)).split('\n').filter(Boolean)).toEqual(['svc']);
});

test('a clone in a folder whose name the shell would read is found, too', async () => {
  const odd = join(folder, 'a "clone" of $HOME');
  await symlink(join(root, 'cli/bin'), odd);
  expect(await shell(`${toolLine(odd)}; svc --version`)).toBe(`${VERSION}\n`);
});
