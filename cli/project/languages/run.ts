// Programs of other languages' tools: their output is kept, and shown as it comes if it is progress.
import { type ChildProcess, spawn } from 'node:child_process';

export interface ProgramResult {
  /** null: it could not be started, or was ended. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** Gets standard error as it comes. */
  show?: (text: string) => void;
  /** Gets standard output as it comes. */
  showResult?: (text: string) => void;
  withinMs?: number;
  /** Standard input, whole. */
  input?: string | undefined;
  /** Another user that it runs as. */
  owner?: { uid: number; gid: number } | undefined;
}

const MAX_OUTPUT = 8 * 1024 * 1024;

export function run(command: string, args: readonly string[], { cwd, env = process.env, owner, ...more }: Running): Promise<ProgramResult> {
  return heard(spawn(command, [...args], { cwd, env, ...owner, stdio: ['pipe', 'pipe', 'pipe'] }), more);
}

/** What a program says that was started with pipes, and has said nothing so far. */
export function heard(
  child: ChildProcess,
  { show, showResult, withinMs = 600_000, input }: Pick<Running, 'show' | 'showResult' | 'withinMs' | 'input'>,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    // It may end without reading.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    // Not spawn's own option: where the program does not exist, its timer would keep this process alive.
    const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
    const result: ProgramResult = { code: null, stdout: '', stderr: '' };
    child.stdout?.on('data', (chunk: Buffer) => {
      result.stdout = (result.stdout + chunk.toString()).slice(0, MAX_OUTPUT);
      showResult?.(chunk.toString());
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      result.stderr = (result.stderr + chunk.toString()).slice(-MAX_OUTPUT);
      show?.(chunk.toString());
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve({ ...result, stderr: error.message });
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ ...result, code });
    });
  });
}

/** The end of what a program said, for a message. */
export function tail(text: string, lines = 4): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-lines)
    .join('\n');
}
