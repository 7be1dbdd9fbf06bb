// The disk of Python builds: uv, what every agent in Python gets from the platform (pydantic by pinned
// wheels, the SDK by its sources), and the Python itself where it is not the base image's.
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ensureDebian } from '../../microvm/images/base.ts';
import { hashOf } from '../../microvm/images/cache.ts';
import { debianRecipe } from '../../microvm/images/debian.mjs';
import { readEdition } from '../../microvm/images/edition.ts';
import { ensureDisk } from '../../microvm/images/toolchain.ts';
import { run } from '../../microvm/images/tools.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { interpreterOf, pythonPaths } from '../guest/plan.ts';
import { inDebian } from './in-debian.ts';
import type { Interpreter } from './interpreter.ts';
import { ensureWheels, pinnedWheels, placeUv, unzip } from './wheels.ts';

const sdkRoot = join(import.meta.dirname, '../../../sdk/python');
const PACKING = 'python-4';
/** Of the base image. */
const USUAL = '3.11';

/** Folder of the package, as Python imports it. */
async function sdkPackage(): Promise<string> {
  for (const folder of ['src/svc', 'svc']) {
    const packageFolder = join(sdkRoot, folder);
    if ((await readdir(packageFolder).catch((): string[] => [])).includes('__init__.py')) return packageFolder;
  }
  throw new RuntimeError('internal', 'The Python SDK is not in this installation (sdk/python).');
}

/** The SDK's own dependencies, one a line. */
async function sdkRequirements(): Promise<string> {
  const list = /^dependencies\s*=\s*\[([^\]]*)\]/m.exec(await readFile(join(sdkRoot, 'pyproject.toml'), 'utf8'))?.[1] ?? '';
  return [...list.matchAll(/"([^"]+)"/g)].map((found) => found[1]).join('\n');
}

async function sourcesOf(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).filter(
    (name) => /(?:\.pyi?|\.json|py\.typed)$/.test(name) && !/__pycache__|(?:^|\/)test_/.test(name),
  );
  return names.sort();
}

/** @param other the Python that agents ask for, where it is not the base image's */
export async function ensurePythonDisk(cacheDir: string, onProgress: (text: string) => void, other?: Interpreter): Promise<string> {
  const dir = join(cacheDir, 'microvm');
  await mkdir(dir, { recursive: true });
  const sdk = await sdkPackage();
  const names = await sourcesOf(sdk);
  const contents = await Promise.all(names.map(async (name) => `${name}:${hashOf(await readFile(join(sdk, name)))}`));
  const version = other === undefined ? undefined : minorOf(other.version);
  const wheels = await ensureWheels(dir, version ?? USUAL, onProgress);
  const parts = [PACKING, basename(wheels), ...(other ? [other.version, other.tree.slice(dir.length)] : []), ...contents];
  return ensureDisk(dir, version === undefined ? 'python' : `python-${version}`, parts, async (tree) => {
    onProgress('Python: packing the build tools');
    const site = join(tree, pythonPaths.platform);
    await mkdir(site, { recursive: true });
    const aside = await mkdtemp(join(dir, '.wheel-'));
    try {
      await placeUv(wheels, aside, join(tree, pythonPaths.uv));
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
    const pinned = (await pinnedWheels()).filter((line) => !line.startsWith('uv=='));
    const files = (await readdir(wheels)).filter((wheel) => !wheel.startsWith('uv-'));
    for (const wheel of files) await unzip(join(wheels, wheel), site);
    await writeFile(join(tree, pythonPaths.pinned), pinned.map((line) => `${line}\n`).join(''));
    await writeFile(join(tree, pythonPaths.loose), `${await sdkRequirements()}\n`);
    for (const wheel of files) await cp(join(wheels, wheel), join(tree, pythonPaths.wheels, wheel));
    for (const name of names) await cp(join(sdk, name), join(site, 'svc', name), { recursive: true });
    if (other) await run('cp', ['-a', '--reflink=auto', `${other.tree}/.`, tree]);
    await compile(await ensureDebian(dir, await readEdition(dir), debianRecipe, onProgress), { site, tree, version });
  });
}

const minorOf = (version: string): string => version.split('.').slice(0, 2).join('.');

/** By the Python that runs it. */
async function compile(debian: string, { site, tree, version }: { site: string; tree: string; version: string | undefined }): Promise<void> {
  const command = [interpreterOf(version), '-m', 'compileall', '-q', '--invalidation-mode', 'unchecked-hash', '-s', '/site', '-p', '/app/.svc/site', '/site'];
  const opt = join(tree, 'opt');
  const aside = `${tree}.site`;
  await rename(site, aside);
  await inDebian(debian, { '/site': aside, ...(version !== undefined && { '/opt': opt }) }, command);
  await rename(aside, site);
}
