// What it takes to run one process, and how to start it so that it continues when its starter ends.
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';

export interface Program {
  command: string;
  args: string[];
  cwd?: string;
  /** The whole environment; nothing is inherited. */
  env: Record<string, string>;
  /** Run as this user; only root may say so. */
  user?: { uid: number; gid: number };
}

/** Spawns in a session of its own; resolves once the program runs, rejects when it cannot be started. */
export function start(program: Program, stdio: StdioOptions, detached = true): Promise<ChildProcess & { pid: number }> {
  const child = spawn(program.command, program.args, {
    ...(program.cwd === undefined ? {} : { cwd: program.cwd }),
    ...program.user,
    env: program.env,
    detached,
    stdio,
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${program.command} could not be started: ${error.message}`)));
    child.once('spawn', () => resolve(withPid(child)));
  });
}

/** A child that emitted 'spawn' has a pid; the types of Node cannot say so. */
function withPid(child: ChildProcess): ChildProcess & { pid: number } {
  return child as ChildProcess & { pid: number };
}
