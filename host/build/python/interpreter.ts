// A Python other than the base image's, for agents that ask for one: fetched by uv, which knows the hash of
// each, and kept in the cache folder.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ensureDebian } from '../../microvm/images/base.ts';
import { cached, hashOf, workFolder } from '../../microvm/images/cache.ts';
import { debianRecipe } from '../../microvm/images/debian.mjs';
import { readEdition } from '../../microvm/images/edition.ts';
import { run } from '../../microvm/images/tools.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { interpreterOf } from '../guest/plan.ts';
import { inDebian } from './in-debian.ts';
import { placeUv } from './wheels.ts';

const PACKING = 'interpreter-1';

export interface Interpreter {
  /** Folder with what is added to a machine's root: the interpreter below /opt. */
  tree: string;
  /** With its patch release. */
  version: string;
}

/** Development files, and tests of Python itself. */
const unneeded = (version: string): string[] => [
  'include',
  'share',
  'lib/pkgconfig',
  ...['test', 'idlelib', 'turtledemo'].map((name) => `lib/python${version}/${name}`),
];

/**
 * uv itself reads UV_PYTHON_INSTALL_MIRROR and the proxies in this process's environment.
 * @param list where the operator has a list of Pythons of his own, with their hashes
 * (UV_PYTHON_DOWNLOADS_JSON_URL) @throws RuntimeError
 */
export async function ensureInterpreter(dir: string, version: string, wheels: string, onProgress: (text: string) => void, list?: string): Promise<Interpreter> {
  const name = `python-${version}-${hashOf(PACKING, basename(wheels), list ?? '')}`;
  const folder = await cached(dir, name, async (path) => {
    const work = await workFolder(path);
    try {
      onProgress(`Python ${version}: fetching it (the first agent that asks for it)`);
      const [uv, installed, home] = [join(work, 'bin/uv'), join(work, 'installed'), join(path, 'tree', 'opt')];
      await mkdir(join(work, 'wheel'));
      await placeUv(wheels, join(work, 'wheel'), uv);
      const options = ['--no-bin', '--no-config', '--no-registry', '--no-progress', '--install-dir', installed, '--cache-dir', join(work, 'cache')];
      await run(uv, ['python', 'install', version, ...options]).catch((error: unknown) => {
        throw unreachable(version, error);
      });
      // Beside it is a link of its minor version.
      const folderName = (await readdir(installed)).find((one) => one.startsWith(`cpython-${version}.`));
      const release = /^cpython-([\d.]+)/.exec(folderName ?? '')?.[1];
      if (folderName === undefined || release === undefined) throw new RuntimeError('internal', `uv installed no Python ${version}.`);
      await mkdir(home, { recursive: true });
      const at = join(path, 'tree', interpreterOf(version), '../..');
      await rename(join(installed, folderName), at);
      for (const one of unneeded(version)) await rm(join(at, one), { recursive: true, force: true });
      onProgress(`Python ${version}: compiling its library`);
      const library = join(interpreterOf(version), '../../lib', `python${version}`);
      const compile = ['-m', 'compileall', '-q', '-f', '--invalidation-mode', 'unchecked-hash', library];
      const debian = await ensureDebian(dir, await readEdition(dir), debianRecipe, onProgress);
      await inDebian(debian, { [join(interpreterOf(version), '../..')]: at }, ['/bin/sh', '-c', '"$@" || true', 'sh', interpreterOf(version), ...compile]);
      await writeFile(join(path, 'version'), release);
      await run('chmod', ['-R', 'a+rX', path]);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
  return { tree: join(folder, 'tree'), version: await readFile(join(folder, 'version'), 'utf8') };
}

function unreachable(version: string, error: unknown): RuntimeError {
  const reason = error instanceof Error ? error.message : String(error);
  if (/Expected:[^]*Computed:/.test(reason))
    return new RuntimeError(
      'internal',
      `Python ${version} was not taken: its content is not the one that the list has the hash of. The operator looks at the mirror.`,
    );
  const remedy =
    'Python 3.11 needs no download. The operator can name a mirror: UV_PYTHON_INSTALL_MIRROR (docs/operating.md, "Other versions of Python and Node").';
  return new RuntimeError('internal', `Python ${version} could not be fetched by this runtime host. ${remedy} (${reason.slice(0, 500)})`);
}
