// Commands that start together in a fresh clone.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
let clone: string;

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'svc-clone-'));
  const made = /\/(?:node_modules|dist|\.venv|target)(?:\/|$)/;
  for (const name of ['cli', 'contract', 'examples/text-kit', 'sdk/published.ts', 'sdk/typescript', 'package.json', 'tsconfig.json', 'version.ts'])
    await cp(join(REPOSITORY, name), join(clone, name), { recursive: true, filter: (path) => !made.test(path.slice(REPOSITORY.length - 1)) });
  await symlink(join(REPOSITORY, 'node_modules'), join(clone, 'node_modules'));
});
afterAll(() => rm(clone, { recursive: true, force: true }));

test('build the package for agents once, and none of them loads half of it', async () => {
  const built = new Set<number>();
  const dist = join(clone, 'sdk/typescript/dist');
  const look = setInterval(() => {
    const seen = statSync(dist, { throwIfNoEntry: false });
    if (seen) built.add(seen.ino);
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
