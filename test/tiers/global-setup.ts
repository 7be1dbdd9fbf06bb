// Starts the keeper of this run's servers (it starts none of them itself until a test asks).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the keeper answers. */
    keeper: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const program = fileURLToPath(new URL('../support/keeper.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const ended = once(child, 'exit');
  const [address] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(([code]) => Promise.reject(new Error(`the keeper of the test servers ended with ${String(code)}`))),
  ]);
  project.provide('keeper', String(address));
  return async () => {
    child.stdin.end();
    await ended;
  };
}
