// Runs git on one repository, deaf to whatever the user, the machine or the repository's content would configure.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';

/** Where git is looked for; the environment is not passed on. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin';
const keptErrorText = 4_000;

/** All that a git of ours gets. */
export const gitEnvironment = {
  PATH: searchPath,
  LC_ALL: 'C',
  TZ: 'UTC',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
} as const;

export class GitFailed extends Error {
  readonly stderr: string;
  constructor(command: string, code: number | string | null, stderr: string) {
    super(`git ${command} failed (${code ?? 'killed'}): ${stderr.trim().slice(-500)}`);
    this.name = 'GitFailed';
    this.stderr = stderr;
  }
}

// An explicit --git-dir also means that git does not refuse a repository for belonging to another user.
function start(gitDir: string, args: readonly string[]) {
  const settings = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.filesRefLockTimeout=2000', '-c', 'gc.auto=0', '-c', 'core.compression=1'];
  const child = spawn('git', [`--git-dir=${gitDir}`, ...settings, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: '/',
    env: gitEnvironment,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr = (stderr + text).slice(-keptErrorText)));
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(new GitFailed(args[0] ?? '', 'did not start', error.message)));
    child.once('close', (code) => (code === 0 ? resolve() : reject(new GitFailed(args[0] ?? '', code, stderr))));
  });
  ended.catch(() => undefined); // its caller awaits it too
  return { child, ended };
}

/** Resolves with what git printed. @throws GitFailed */
export async function git(gitDir: string, args: readonly string[], input?: AsyncIterable<Buffer>): Promise<string> {
  const { child, ended } = start(gitDir, args);
  const output: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => void output.push(piece));
  try {
    await feed(child.stdin, input ?? []);
  } catch (error) {
    child.kill('SIGKILL'); // half an input must not count as all of it
    await ended.catch(() => undefined);
    throw error;
  }
  await ended;
  return Buffer.concat(output).toString('utf8');
}

/** Writes and ends. When git ends first, the rest is dropped: its own error says more than ours would. @throws what `input` throws */
async function feed(stdin: Writable, input: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
  stdin.on('error', () => undefined);
  for await (const piece of input) {
    if (stdin.destroyed) return;
    if (stdin.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stdin.off('drain', done).off('close', done);
        resolve();
      };
      stdin.on('drain', done).on('close', done);
    });
  }
  stdin.end();
}

/** What git prints, as it prints it; ends with an error when git does. A reader that leaves ends git. */
export function gitStream(gitDir: string, args: readonly string[]): Readable {
  return Readable.from(
    (async function* () {
      const { child, ended } = start(gitDir, args);
      child.stdin.on('error', () => undefined).end();
      try {
        for await (const piece of child.stdout) yield piece;
        await ended;
      } finally {
        if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'close');
      }
    })(),
    { objectMode: false },
  );
}
