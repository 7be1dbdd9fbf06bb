// Power cuts: the process that commits and every git it started are killed at any moment, again and again.
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gitSourceControl } from './git.ts';

let box: string;
beforeEach(async () => void (box = await mkdtemp(join(tmpdir(), 'svc-scm-kill-'))));
afterEach(async () => rm(box, { recursive: true, force: true }));

const author = { name: 'Ada', email: 'ada@svc.local' };

/** Commits without end and says every commit's id. */
const committer = (root: string, folder: string): string => `
  import { gitSourceControl } from ${JSON.stringify(new URL('./git.ts', import.meta.url).href)};
  const scm = gitSourceControl({ root: ${JSON.stringify(root)} });
  for (let n = 0; ; n += 1) {
    const { commit } = await scm.commitTree({ repository: 'u/a', folder: ${JSON.stringify(folder)}, branch: 'main', message: String(n), author: ${JSON.stringify(author)} });
    process.stdout.write(commit + '\\n');
  }`;

it('lose no acknowledged commit, keep no partial one, and block no later push', async () => {
  const root = join(box, 'git');
  const folder = join(box, 'tree');
  await mkdir(folder);
  for (let n = 0; n < 120; n += 1) await writeFile(join(folder, `file-${n}.txt`), `${n}\n`.repeat(100));
  const answered: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', committer(root, folder)], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    const gone = new Promise((resolve) => child.once('close', resolve));
    let lines = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      lines += text;
      // After the first answer, in the middle of whatever comes next.
      setTimeout(() => child.exitCode === null && child.signalCode === null && kill(child.pid), Math.random() * 60);
    });
    await gone;
    answered.push(...lines.split('\n').filter((line) => line.length === 40));
  }
  expect(answered.length).toBeGreaterThanOrEqual(5);

  const { commit } = await gitSourceControl({ root }).commitTree({ repository: 'u/a', folder, branch: 'main', message: 'after', author });
  const git = (...args: string[]): string => execFileSync('git', ['--git-dir', join(root, 'u', 'a.git'), ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  const history = git('log', '--format=%H', 'main').split('\n');
  expect(history[0]).toBe(commit);
  expect(history).toEqual(expect.arrayContaining(answered));
  git('fsck', '--full', '--strict');
});

/** The process and its gits are one group. */
function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // gone already
  }
}
