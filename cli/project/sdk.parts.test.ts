// Commands that start together in a clone whose package is older than one file of the contract.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, utimes } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
let clone: string;
let dist: string;

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'svc-clone-'));
  const made = /\/(?:node_modules|dist|\.venv|target)(?:\/|$)/;
  for (const name of ['cli', 'contract', 'examples/text-kit', 'sdk/published.ts', 'sdk/typescript', 'package.json', 'tsconfig.json', 'version.ts'])
    await cp(join(REPOSITORY, name), join(clone, name), { recursive: true, filter: (path) => !made.test(path.slice(REPOSITORY.length - 1)) });
  await symlink(join(REPOSITORY, 'node_modules'), join(clone, 'node_modules'));
  dist = join(clone, 'sdk/typescript/dist');
  await mkdir(dist);
  const ago = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
  const [sources, built, changed] = [ago(2), ago(1), ago(0)];
  for (const folder of ['contract', 'sdk/typescript'])
    for (const name of await readdir(join(clone, folder), { recursive: true })) await utimes(join(clone, folder, name), sources, sources);
  await utimes(dist, built, built);
  await utimes(join(clone, 'contract/kit.ts'), changed, changed);
});
afterAll(() => rm(clone, { recursive: true, force: true }));

test('build the package for agents anew, once, and none of them loads half of it', async () => {
  const built = new Set<number>();
  const { ino: old } = statSync(dist);
  const look = setInterval(() => {
    const seen = statSync(dist, { throwIfNoEntry: false });
    if (seen && seen.ino !== old) built.add(seen.ino);
  }, 5);
  const link = `const { linkSdk } = await import(${JSON.stringify(join(clone, 'cli/project/sdk.ts'))}); await linkSdk(process.argv[1]);`;
  const node = promisify(execFile);
  try {
    await Promise.all(['a', 'b', 'c'].map((project) => node(process.execPath, ['--input-type=module', '-e', link, join(clone, project)])));
  } finally {
    clearInterval(look);
  }
  expect(built.size).toBe(1);
  const use = "const { Agent } = await import('@svc/sdk'); process.exit(typeof Agent === 'function' ? 0 : 1)";
  await node(process.execPath, ['--input-type=module', '-e', use], { cwd: join(clone, 'a') });
});
