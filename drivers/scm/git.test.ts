import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { scmConformance } from './conformance.ts';
import { gitSourceControl } from './git.ts';

const folders: string[] = [];
async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-scm-'));
  folders.push(folder);
  return folder;
}
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function tree(content: string): Promise<string> {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'file.txt'), content);
  return folder;
}

const author = { name: 'Ada', email: 'ada@svc.local' };
const history = (root: string): string[] =>
  execFileSync('git', ['--git-dir', join(root, 'u', 'a.git'), 'log', '--format=%H', 'main'], { encoding: 'utf8' })
    .trim()
    .split('\n');

describe('source control by git', () => {
  scmConformance(async () => gitSourceControl({ root: await emptyFolder() }));

  it('orders commits of several processes to one repository: none is lost', async () => {
    const root = await emptyFolder();
    // Two drivers share no queue, as two processes do not.
    const drivers = [gitSourceControl({ root }), gitSourceControl({ root }), gitSourceControl({ root })];
    const commits = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const driver = drivers[n % drivers.length] ?? gitSourceControl({ root });
        return (await driver.commitTree({ repository: 'u/a', folder: await tree(`${n}`), branch: 'main', message: `${n}`, author })).commit;
      }),
    );
    expect(new Set(commits).size).toBe(12);
    expect(history(root).toSorted()).toEqual(commits.toSorted());
    expect(await readdir(join(root, '.incoming'))).toEqual([]);
    execFileSync('git', ['--git-dir', join(root, 'u', 'a.git'), 'fsck', '--full', '--strict'], { stdio: 'pipe' }); // throws when it finds fault
  });

  it('goes on after a git that was killed while it held the branch', async () => {
    const root = await emptyFolder();
    const scm = gitSourceControl({ root });
    await scm.commitTree({ repository: 'u/a', folder: await tree('1'), branch: 'main', message: '1', author });
    const lock = join(root, 'u', 'a.git', 'refs', 'heads', 'main.lock');
    await writeFile(lock, '');
    const aMinuteAgo = Date.now() / 1000 - 60;
    await utimes(lock, aMinuteAgo, aMinuteAgo);
    await scm.commitTree({ repository: 'u/a', folder: await tree('2'), branch: 'main', message: '2', author });
    expect(history(root)).toHaveLength(2);
  });

  it('runs no hooks', async () => {
    const root = await emptyFolder();
    const scm = gitSourceControl({ root });
    await scm.commitTree({ repository: 'u/a', folder: await tree('1'), branch: 'main', message: '1', author });
    const hooks = join(root, 'u', 'a.git', 'hooks');
    await mkdir(hooks, { recursive: true });
    await writeFile(join(hooks, 'reference-transaction'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    await expect(scm.commitTree({ repository: 'u/a', folder: await tree('2'), branch: 'main', message: '2', author })).resolves.toBeDefined();
  });

  it('lets a reader leave in the middle of an archive', async () => {
    const root = await emptyFolder();
    const scm = gitSourceControl({ root });
    const folder = await emptyFolder();
    await writeFile(join(folder, 'big'), Buffer.from(Array.from({ length: 4_000_000 }, (_, n) => (n * 2_654_435_761) >>> 24)));
    const { commit } = await scm.commitTree({ repository: 'u/a', folder, branch: 'main', message: 'big', author });
    for await (const piece of await scm.archive({ repository: 'u/a', commit })) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
  });
});
