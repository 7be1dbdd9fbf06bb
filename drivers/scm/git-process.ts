// Runs git on one repository, deaf to whatever the user, the machine or the repository's content would
// configure.
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';

/** Where git is looked for; the environment is not passed on. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin';
const maxErrorText = 4_000;
/** One command on one project takes seconds. */
const commandMs = 120_000;
const streamMs = 600_000;
/** What a git that is asked to end gets to remove what it has begun. */
const graceMs = 2_000;

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

/**
 * Of a git that strangers feed, and of each program that it starts: memory (2 GiB), processor time (10 min),
 * one file (2 GiB, in blocks of 512 bytes).
 */
const ceilings = 'ulimit -v 2097152; ulimit -t 600; ulimit -f 4194304; exec "$@"';

const quiet = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.filesRefLockTimeout=2000', '-c', 'gc.auto=0', '-c', 'core.compression=1'];

/**
 * Starts git, with nothing of this process's environment. `-c` settings in `args` win over the usual ones.
 * `group`: of its own, to be ended with all it starts, with ceilings.
 */
export function spawnGit(
  args: readonly string[],
  { env, stdio, group = false }: { env: Record<string, string>; stdio: StdioOptions; group?: boolean },
): ChildProcess {
  const words = [...quiet, ...args];
  return spawn(group ? 'sh' : 'git', group ? ['-c', ceilings, 'sh', 'git', ...words] : words, {
    stdio,
    cwd: '/',
    detached: group,
    env: { ...gitEnvironment, ...env },
  });
}

/**
 * Ends a git of a group of its own with all that it started: politely, so that it removes what it has begun,
 * then for certain.
 */
export function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  const late = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
  late.unref();
  child.once('close', () => clearTimeout(late));
}

function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // it has ended meanwhile
  }
}

/** `env` is for git's own variables, as where a push keeps its objects. */
function start(gitDir: string, args: readonly string[], env: Record<string, string>, timeoutMs: number) {
  // An explicit --git-dir also means that git does not refuse a repository for belonging to another user.
  const child = spawnGit([`--git-dir=${gitDir}`, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const [stdin, stdout, errors] = pipesOf(child);
  let stderr = '';
  errors.setEncoding('utf8').on('data', (text: string) => void (stderr = (stderr + text).slice(-maxErrorText)));
  const late = setTimeout(() => {
    stderr += `\nno end after ${timeoutMs / 1000} s`;
    child.kill('SIGKILL');
  }, timeoutMs);
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(new GitFailed(args[0] ?? '', 'did not start', error.message)));
    child.once('close', (code) => (code === 0 ? resolve() : reject(new GitFailed(args[0] ?? '', code, stderr))));
  }).finally(() => clearTimeout(late));
  ended.catch(() => undefined); // its caller awaits it too
  return { child, stdin, stdout, ended };
}

// Safe: it was started with three pipes.
function pipesOf(child: ChildProcess): [Writable, Readable, Readable] {
  return [child.stdin, child.stdout, child.stderr] as [Writable, Readable, Readable];
}

/** Resolves with what git printed. @throws GitFailed */
export async function git(gitDir: string, args: readonly string[], input?: AsyncIterable<Buffer>): Promise<string> {
  const { child, stdin, stdout, ended } = start(gitDir, args, {}, commandMs);
  const output: Buffer[] = [];
  stdout.on('data', (piece: Buffer) => void output.push(piece));
  try {
    await feed(stdin, input ?? []);
  } catch (error) {
    child.kill('SIGKILL'); // half an input must not count as all of it
    await ended.catch(() => undefined);
    throw error;
  }
  await ended;
  return Buffer.concat(output).toString('utf8');
}

/**
 * Writes and ends. When git ends first, the rest is dropped: its own error says more than ours would. @throws
 * what `input` throws
 */
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
export function gitStream(gitDir: string, args: readonly string[], env: Record<string, string> = {}): Readable {
  return Readable.from(
    (async function* () {
      const { child, stdin, stdout, ended } = start(gitDir, args, env, streamMs);
      stdin.on('error', () => undefined).end();
      try {
        for await (const piece of stdout) yield piece;
        await ended;
      } finally {
        if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'close');
      }
    })(),
    { objectMode: false },
  );
}
