// A worker as a child process: started only with what it is given, its output in the agent's log, ended with
// its children.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Log } from '../authoring/context.ts';
import { Spare } from './spare.ts';

export interface WorkerCommand {
  command: string;
  args?: readonly string[];
  /**
   * Beside the few names a program needs to run at all (PATH, HOME …). Secrets do not belong here: they
   * travel over the protocol.
   */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Where the worker is to listen; default: a new folder of the temporary one. */
  socket?: string;
  /**
   * It understands `--spare`, and one may be kept ahead (`keepSpareWorker`). What such a process has loaded
   * is of this: another text, another process.
   */
  spare?: string;
}

const INHERITED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'USER', 'SYSTEMROOT'];
/**
 * Runs the worker ($@) as this very process, beside a guard in the same group that ends the group when the
 * pipe to us breaks: then we are gone, however that happened. So workers in any language need no check of
 * their own.
 */
const GUARDED = `(trap '' TERM INT HUP; read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec 3<&- "$@"`;
const SHELL = '/bin/sh';
const GUARD_PIPE = 3;
const STDERR_TAIL_LINES = 40;
/**
 * A worker that loads changed code itself needs the spare rarely, and the two processors of a dev box have
 * enough to do before.
 */
export const SPARE_AFTER_MS = 20_000;
const MAX_LINE = 8_000;

export interface WorkerProcess {
  /** Resolves with how it ended, in words. */
  ended: Promise<string>;
  /** What it wrote to stderr last. */
  lastWords: () => string;
  /** SIGTERM, then SIGKILL after the grace. Resolves when it is gone. */
  end: (graceMs: number) => Promise<void>;
}

const spares = new Spare<WorkerCommand>(
  (worker) => launch(worker, [...(worker.args ?? []), '--spare'], {}),
  (worker) => JSON.stringify(worker),
  (child) => kill(child, 'SIGKILL'),
);

/**
 * For the next start of that very worker, by this process; when this one has had time for what is asked of it
 * now.
 */
export function keepSpareWorker(worker: WorkerCommand): void {
  if (worker.spare !== undefined) spares.keep(worker, SPARE_AFTER_MS);
}

function launch({ command, env = {}, cwd }: WorkerCommand, args: readonly string[], more: Readonly<Record<string, string>>): ChildProcess {
  const inherited = Object.fromEntries(INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const guarded = existsSync(SHELL);
  const child = spawn(guarded ? SHELL : command, guarded ? ['-c', GUARDED, command, command, ...args] : [...args], {
    // A group of its own, so that what it started ends with it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: { ...inherited, ...env, ...more },
    ...(cwd !== undefined && { cwd }),
  });
  // Broken by the guard's end; nothing is ever said over it.
  child.stdio[GUARD_PIPE]?.on('error', () => {});
  // It may end without reading.
  child.stdin?.on('error', () => {});
  return child;
}

export function startProcess(worker: WorkerCommand, socket: string, log: Log): WorkerProcess {
  const listen = `unix:${socket}`;
  const spare = spares.take(worker);
  const child = spare ?? launch(worker, worker.args ?? [], { SVC_WORKER_LISTEN: listen });
  child.stdin?.end(spare ? `${listen}\n` : '');
  return followed(child, log);
}

/** A program that is no worker. */
export function startProgram(program: WorkerCommand, log: Log): WorkerProcess {
  const child = launch(program, program.args ?? [], {});
  child.stdin?.end();
  return followed(child, log);
}

function followed(child: ChildProcess, log: Log): WorkerProcess {
  const last: string[] = [];
  lines(child.stdout, (line) => log.info(line, { stream: 'stdout' }));
  lines(child.stderr, (line) => {
    if (last.push(line) > STDERR_TAIL_LINES) last.shift();
    log.warn(line, { stream: 'stderr' });
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    // `close` comes after its output was read; a grandchild that holds the pipe must not hold us.
    child.once('exit', (status, signal) => setTimeout(() => resolve(signal ? `ended by ${signal}` : `ended with status ${status}`), 20));
  });
  return { ended, lastWords: () => last.join('\n'), end: (graceMs) => end(child, ended, graceMs) };
}

async function end(child: ChildProcess, ended: Promise<string>, graceMs: number): Promise<void> {
  kill(child, 'SIGTERM');
  const timer = setTimeout(() => kill(child, 'SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
  // Children it left behind.
  kill(child, 'SIGKILL');
}

function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone already.
  }
}

function lines(stream: Readable | null, take: (line: string) => void): void {
  if (!stream) return;
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
    if (line.trim()) take(line.slice(0, MAX_LINE));
  });
}
