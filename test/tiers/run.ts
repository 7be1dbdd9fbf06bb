// Runs vitest over a list of test files, in its order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '#stack/setup/folders.mjs';
import { LIST } from './selection.ts';

const VITEST = join(repository, 'node_modules/vitest/vitest.mjs');

/** @param files from the root of the repository @returns the exit code */
export async function runTests(
  files: readonly string[],
  { args = [], env = {} }: { args?: readonly string[]; env?: Record<string, string> } = {},
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tests-'));
  try {
    const list = join(folder, 'list');
    writeFileSync(list, `${files.join('\n')}\n`);
    // ctrl-C reaches it on its own; what passed before is kept.
    const ignore = (): void => {};
    process.on('SIGINT', ignore);
    const child = spawn(process.execPath, [VITEST, 'run', ...args], { cwd: repository, stdio: 'inherit', env: { ...process.env, ...env, [LIST]: list } });
    const pass = (): void => void child.kill('SIGTERM');
    process.once('SIGTERM', pass);
    const [code] = await once(child, 'exit');
    process.off('SIGINT', ignore).off('SIGTERM', pass);
    return typeof code === 'number' ? code : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
