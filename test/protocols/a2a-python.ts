// The official Python package of the task protocol, in a virtual environment of its own, made once.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { PYTHON, WITHOUT_PYTHON } from '../support/languages/python.ts';

export { PYTHON, WITHOUT_PYTHON };

const run = promisify(execFile);
const VERSION = '1.3.0';

export function officialPython(): Promise<string> {
  return pythonWith(`a2a-sdk-${VERSION}`, [`a2a-sdk[grpc,signing]==${VERSION}`]);
}

/** An interpreter with these packages. */
export async function pythonWith(name: string, packages: readonly string[]): Promise<string> {
  if (!PYTHON) throw new Error(WITHOUT_PYTHON);
  const folder = join(cacheFolder(process.env), 'python');
  const venv = join(folder, name);
  const interpreter = join(venv, 'bin', 'python');
  if (existsSync(interpreter)) return interpreter;
  const draft = `${venv}.${process.pid}`;
  await mkdir(folder, { recursive: true });
  await run(PYTHON, ['-m', 'venv', draft]);
  await run(join(draft, 'bin', 'python'), ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...packages]);
  await rename(draft, venv).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    // Another test made it at the same moment.
    if (!existsSync(interpreter)) throw error;
  });
  return interpreter;
}
