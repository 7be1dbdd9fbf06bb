// Python for tests: interpreters with packages, each in a virtual environment that is made once. uv installs
// them, in a tenth of the time that pip takes.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonIndex } from '#host/build/registry.ts';
import { cached } from '#host/microvm/images/cache.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';

const run = promisify(execFile);
export const SDK = join(import.meta.dirname, '../../../sdk/python');
const FOLDER = join(cacheFolder(process.env), 'python');
const OLDEST_MINOR = 11;

/** A Python that is new enough; undefined where there is none. */
export const PYTHON = ['python3', 'python3.13', 'python3.12', 'python3.11'].find((name) => minorOf(name) >= OLDEST_MINOR);
export const WITHOUT_PYTHON = `needs Python 3.${OLDEST_MINOR} or newer as python3`;

/**
 * The path of an interpreter that has the SDK (from this tree, so that changes count at once) and the
 * programs that check it.
 */
export async function pythonWithSdk(): Promise<string> {
  const project = await readFile(join(SDK, 'pyproject.toml'), 'utf8');
  const key = createHash('sha256')
    .update([project, SDK, PYTHON ? minorOf(PYTHON) : ''].join('\n'))
    .digest('hex')
    .slice(0, 16);
  return pythonWith(key, ['-e', `${SDK}[dev]`]);
}

/**
 * The path of an interpreter with what these arguments of `uv pip install` name, in a virtual environment of
 * this name, made once.
 */
export async function pythonWith(name: string, packages: readonly string[]): Promise<string> {
  if (!PYTHON) throw new Error(WITHOUT_PYTHON);
  const base = PYTHON;
  const venv = await cached(FOLDER, name, async (draft) => {
    const uv = join(await uvEnvironment(base), 'bin', 'uv');
    const env = { ...process.env, ...(await uvSettings()) };
    await run(uv, ['venv', '--quiet', '--python', base, draft], { env });
    await run(uv, ['pip', 'install', '--quiet', '--no-config', '--python', join(draft, 'bin', 'python'), ...packages], { env });
  });
  return join(venv, 'bin', 'python');
}

/** With uv in the version that builds of agents use; by pip, which knows how this machine is configured. */
async function uvEnvironment(base: string): Promise<string> {
  const wheels = await readFile(join(import.meta.dirname, '../../../host/build/python/wheels.txt'), 'utf8');
  const version = /^uv==(\S+)/m.exec(wheels)?.[1] ?? '';
  return cached(FOLDER, `uv-${version}`, async (draft) => {
    await run(base, ['-m', 'venv', draft]);
    await run(join(draft, 'bin', 'python'), ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', `uv==${version}`]);
  });
}

/** What uv does not read of pip's configuration. */
async function uvSettings(): Promise<Record<string, string>> {
  const found = await pythonIndex();
  const { PIP_CERT, PIP_FIND_LINKS } = process.env;
  return {
    UV_CACHE_DIR: join(FOLDER, 'uv-cache'),
    ...(found && { UV_DEFAULT_INDEX: found.index }),
    ...(PIP_CERT && { SSL_CERT_FILE: PIP_CERT }),
    ...(PIP_FIND_LINKS && { UV_FIND_LINKS: PIP_FIND_LINKS }),
  };
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
