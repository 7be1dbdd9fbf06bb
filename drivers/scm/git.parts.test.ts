// Power cuts: the process that commits and every git it started are killed again and again, each time at a
// later step of a commit.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gitSourceControl } from './git.ts';

let box: string;
beforeEach(async () => void (box = await mkdtemp(join(tmpdir(), 'svc-scm-kill-'))));
afterEach(async () => rm(box, { recursive: true, force: true }));

const author = { name: 'Ada', email: 'ada@svc.local' };

// A commit of these files has 129: two of the look at its branch, and git has written it at the last.
const STEPS = [1, 2, 3, 4, 20, 60, 100, 126, 127, 128, 129];

/**
 * Commits without end and says every commit's id. After the first one its steps are counted: a git that was
 * started, a piece that it was given, its end. At the last step the process and its gits, one group, are
 * killed.
 */
const committer = (root: string, folder: string, steps: number): string => `
  import childProcess from 'node:child_process';
  import { syncBuiltinESMExports } from 'node:module';
  let left = Infinity;
  const step = () => void ((left -= 1) === 0 && process.kill(-process.pid, 'SIGKILL'));
  const { spawn } = childProcess;
  childProcess.spawn = (...given) => {
    const child = spawn(...given);
    const write = child.stdin.write.bind(child.stdin);
    child.stdin.write = (...piece) => {
      const more = write(...piece);
      step();
      return more;
    };
    child.once('close', step);
    step();
    return child;
  };
  syncBuiltinESMExports();
  const { gitSourceControl } = await import(${JSON.stringify(new URL('./git.ts', import.meta.url).href)});
  const scm = gitSourceControl({ root: ${JSON.stringify(root)} });
  for (let n = 0; ; n += 1) {
    const { commit } = await scm.commitTree({ repository: 'u/a', folder: ${JSON.stringify(folder)}, branch: 'main', message: String(n), author: ${JSON.stringify(author)} });
    process.stdout.write(commit + '\\n');
    if (n === 0) left = ${steps};
  }`;

it('lose no acknowledged commit, keep no partial one, and block no later push', async () => {
  const root = join(box, 'git');
  const folder = join(box, 'tree');
  await mkdir(folder);
  for (let n = 0; n < 120; n += 1) await writeFile(join(folder, `file-${n}.txt`), `${n}\n`.repeat(100));
  const answered: string[] = [];
  for (const steps of STEPS) {
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', committer(root, folder, steps)];
    const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    const [lines, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(code).toBe(null);
    answered.push(...lines.split('\n').filter((line) => line.length === 40));
  }
  expect(answered.length).toBeGreaterThanOrEqual(STEPS.length);

  const { commit } = await gitSourceControl({ root }).commitTree({ repository: 'u/a', folder, branch: 'main', message: 'after', author });
  const git = (...args: string[]): string => execFileSync('git', ['--git-dir', join(root, 'u', 'a.git'), ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  const history = git('log', '--format=%H', 'main').split('\n');
  expect(history[0]).toBe(commit);
  expect(history).toEqual(expect.arrayContaining(answered));
  git('fsck', '--full', '--strict');
});
