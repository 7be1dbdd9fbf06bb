// Python for tests: interpreters with packages that pip installed, each in a virtual environment that is made once.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '#stack/setup/folders.mjs';

const run = promisify(execFile);
export const SDK = join(import.meta.dirname, '../../../sdk/python');
const OLDEST_MINOR = 11;

/** A Python that is new enough; undefined where there is none. */
export const PYTHON = ['python3', 'python3.13', 'python3.12', 'python3.11'].find((name) => minorOf(name) >= OLDEST_MINOR);
export const WITHOUT_PYTHON = `needs Python 3.${OLDEST_MINOR} or newer as python3`;

/** The path of an interpreter that has the SDK (from this tree, so that changes count at once) and the programs that check it. */
export async function pythonWithSdk(): Promise<string> {
  const project = await readFile(join(SDK, 'pyproject.toml'), 'utf8');
  const key = createHash('sha256')
    .update([project, SDK, PYTHON ? minorOf(PYTHON) : ''].join('\n'))
    .digest('hex')
    .slice(0, 16);
  return pythonWith(key, ['--no-compile', '-e', `${SDK}[dev]`]);
}

/** The path of an interpreter with what pip installs by these arguments, in a virtual environment of this name, made once. */
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

function minorOf(name: string): number {
  try {
    const said = execFileSync(name, ['-c', 'import sys, venv; print(sys.version_info.major, sys.version_info.minor)'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [major, minor] = said.toString().trim().split(' ').map(Number);
    return major === 3 ? (minor ?? 0) : 0;
  } catch {
    return 0;
  }
}
