// Python for tests: interpreters with packages, each in a virtual environment that is made once. uv installs them, in a tenth of the time that pip takes.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildEgress } from '#host/build/registry.ts';
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
  return pythonWith(key, ['-e', `${SDK}[dev]`]);
}

/** The path of an interpreter with what these arguments of `uv pip install` name, in a virtual environment of this name, made once. */
export async function pythonWith(name: string, packages: readonly string[]): Promise<string> {
  return madeOnce(name, async (venv) => {
    const uv = join(dirname(await madeOnce(`uv-${await uvVersion()}`, installUv)), 'uv');
    const env = { ...process.env, ...(await uvEnv()) };
    await run(uv, ['venv', '--quiet', '--python', basePython(), venv], { env });
    await run(uv, ['pip', 'install', '--quiet', '--no-config', '--python', join(venv, 'bin', 'python'), ...packages], { env });
  });
}

/** By pip, which knows how this machine is configured. */
async function installUv(venv: string): Promise<void> {
  await run(basePython(), ['-m', 'venv', venv]);
  await run(join(venv, 'bin', 'python'), ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', `uv==${await uvVersion()}`]);
}

/** The version that builds of agents use. */
async function uvVersion(): Promise<string> {
  const wheels = await readFile(join(import.meta.dirname, '../../../host/build/python/wheels.txt'), 'utf8');
  return /^uv==(\S+)/m.exec(wheels)?.[1] ?? '';
}

/** What uv does not read of pip's configuration. */
async function uvEnv(): Promise<Record<string, string>> {
  const { pythonIndex } = await buildEgress(undefined);
  const { PIP_CERT, PIP_FIND_LINKS } = process.env;
  return {
    UV_CACHE_DIR: join(cacheFolder(process.env), 'python', 'uv-cache'),
    ...(pythonIndex && { UV_DEFAULT_INDEX: pythonIndex }),
    ...(PIP_CERT && { SSL_CERT_FILE: PIP_CERT }),
    ...(PIP_FIND_LINKS && { UV_FIND_LINKS: PIP_FIND_LINKS }),
  };
}

/** The interpreter of the virtual environment of this name. `make` makes it in a folder beside its place. */
async function madeOnce(name: string, make: (venv: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder(process.env), 'python');
  const venv = join(folder, name);
  const interpreter = join(venv, 'bin', 'python');
  if (existsSync(interpreter)) return interpreter;
  const draft = `${venv}.${process.pid}`;
  await mkdir(folder, { recursive: true });
  await make(draft);
  await rename(draft, venv).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    // Another test made it at the same moment.
    if (!existsSync(interpreter)) throw error;
  });
  return interpreter;
}

function basePython(): string {
  if (!PYTHON) throw new Error(WITHOUT_PYTHON);
  return PYTHON;
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
