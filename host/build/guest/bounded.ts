// Runs an untrusted program for a bounded time, then ends its whole process group.
import { spawn } from 'node:child_process';

export interface Ended {
  /** null: by a signal. */
  code: number | null;
  /** It was ended because its time was over. */
  late: boolean;
  ms: number;
}

/** For a process that left the group and holds an output open. */
const graceMs = 500;

export function runBounded(
  command: readonly string[],
  cwd: string,
  { withinMs, onStdout, onStderr }: { withinMs: number; onStdout(chunk: Buffer): void; onStderr(chunk: Buffer): void },
): Promise<Ended> {
  const [program = '', ...args] = command;
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let late = false;
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // All have ended.
      }
    };
    const timer = setTimeout(() => {
      late = true;
      end();
    }, withinMs);
    child.stdout.on('data', onStdout);
    child.stderr.on('data', onStderr);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      end();
      const done = (): void => resolve({ code, late, ms: Math.round(performance.now() - began) });
      const waiting = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        done();
      }, graceMs);
      child.once('close', () => {
        clearTimeout(waiting);
        done();
      });
    });
  });
}
