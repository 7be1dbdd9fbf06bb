// The disk of Python builds: uv, and what every agent in Python gets from the platform (pydantic by pinned wheels, the SDK by its sources).
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDebian } from '../../microvm/images/base.ts';
import { cached, hashOf } from '../../microvm/images/cache.ts';
import { debianRecipe } from '../../microvm/images/debian.mjs';
import { readEdition } from '../../microvm/images/edition.ts';
import { ensureDisk } from '../../microvm/images/toolchain.ts';
import { run } from '../../microvm/images/tools.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { pythonPaths } from '../guest/plan.ts';

const wheelList = join(import.meta.dirname, 'wheels.txt');
const sdkRoot = join(import.meta.dirname, '../../../sdk/python');
const PACKING = 'python-3';

/** Fetched by this host's own pip, from wherever it is configured to fetch. */
async function ensureWheels(dir: string, onProgress: (text: string) => void): Promise<string> {
  return cached(dir, `wheels-${hashOf(await readFile(wheelList))}`, async (folder) => {
    onProgress('Python: fetching uv and pydantic');
    const target = ['--implementation', 'cp', '--python-version', '3.11', '--platform', 'manylinux2014_x86_64', '--platform', 'manylinux_2_17_x86_64'];
    const args = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--require-hashes', '--only-binary=:all:', ...target, '-d', folder, '-r', wheelList];
    await run('python3', args).catch((error: unknown) => {
      const said = error instanceof Error ? error.message : String(error);
      const remedy = /No module named pip|could not be started/.test(said) ? 'Run: sudo apt-get install -y python3-pip.' : 'Is the package index reachable?';
      throw new RuntimeError('internal', `What Python builds need could not be fetched. ${remedy} (${said.slice(0, 500)})`);
    });
  });
}

/** Folder of the package, as Python imports it. */
async function sdkPackage(): Promise<string> {
  for (const folder of ['src/svc', 'svc']) {
    const found = join(sdkRoot, folder);
    if ((await readdir(found).catch((): string[] => [])).includes('__init__.py')) return found;
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

/** By the base image's own Python, at this host's speed: an emulated guest takes a minute for it. */
async function compileNatively(debian: string, site: string): Promise<void> {
  const root = `${site}.root`;
  await mkdir(root);
  try {
    await run('tar', ['-xf', debian, '-C', root, '--no-same-owner', '--exclude=./dev/*', '--exclude=./usr/share/*', '--exclude=./var/*']);
    await rename(site, join(root, 'site'));
    const compile = ['/usr/bin/python3', '-m', 'compileall', '-q', '--invalidation-mode', 'unchecked-hash', '-s', '/site', '-p', '/app/.svc/site', '/site'];
    await run('unshare', ['--map-root-user', `--root=${root}`, 'env', '-i', 'PYTHONHASHSEED=0', ...compile]);
    await rename(join(root, 'site'), site);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

export async function ensurePythonDisk(cacheDir: string, onProgress: (text: string) => void): Promise<string> {
  const dir = join(cacheDir, 'microvm');
  await mkdir(dir, { recursive: true });
  const sdk = await sdkPackage();
  const names = await sourcesOf(sdk);
  const contents = await Promise.all(names.map(async (name) => `${name}:${hashOf(await readFile(join(sdk, name)))}`));
  const wheels = await ensureWheels(dir, onProgress);
  return ensureDisk(dir, 'python', [PACKING, wheels.slice(dir.length), ...contents], async (tree) => {
    onProgress('Python: packing the build tools');
    const site = join(tree, pythonPaths.platform);
    await mkdir(site, { recursive: true });
    const aside = await mkdtemp(join(dir, '.wheel-'));
    try {
      for (const wheel of await readdir(wheels)) await run('python3', ['-m', 'zipfile', '-e', join(wheels, wheel), wheel.startsWith('uv-') ? aside : site]);
      const scripts = (await readdir(aside)).find((name) => name.endsWith('.data')) ?? '';
      await mkdir(join(tree, 'usr/local/bin'), { recursive: true });
      await cp(join(aside, scripts, 'scripts/uv'), join(tree, pythonPaths.uv));
      await chmod(join(tree, pythonPaths.uv), 0o755);
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
    const requirements = (await readFile(wheelList, 'utf8')).split('\n').filter((line) => /^[a-z]/.test(line) && !line.startsWith('uv=='));
    await writeFile(join(tree, pythonPaths.pinned), requirements.map((line) => `${line.split(' ')[0]}\n`).join(''));
    await writeFile(join(tree, pythonPaths.loose), `${await sdkRequirements()}\n`);
    for (const wheel of await readdir(wheels)) if (!wheel.startsWith('uv-')) await cp(join(wheels, wheel), join(tree, pythonPaths.wheels, wheel));
    for (const name of names) await cp(join(sdk, name), join(site, 'svc', name), { recursive: true });
    await compileNatively(await ensureDebian(dir, await readEdition(dir), debianRecipe, onProgress), site);
  });
}
