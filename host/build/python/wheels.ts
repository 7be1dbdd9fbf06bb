// Wheels that Python builds need, and the uv among them: fetched by this host's own pip, from wherever it is
// configured to fetch.
import { chmod, cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached, hashOf } from '../../microvm/images/cache.ts';
import { run } from '../../microvm/images/tools.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';

const wheelList = join(import.meta.dirname, 'wheels.txt');

/** One a line, exact. */
export async function pinnedWheels(): Promise<string[]> {
  return (await readFile(wheelList, 'utf8')).split('\n').flatMap((line) => (/^[a-z]/.test(line) ? [line.split(' ')[0] ?? ''] : []));
}

/** Folder of the files. @param version of Python, e.g. 3.13 */
export async function ensureWheels(dir: string, version: string, onProgress: (text: string) => void): Promise<string> {
  return cached(dir, `wheels-${version}-${hashOf(await readFile(wheelList))}`, async (folder) => {
    onProgress(`Python ${version}: fetching uv and pydantic`);
    const target = ['--implementation', 'cp', '--python-version', version, '--platform', 'manylinux2014_x86_64', '--platform', 'manylinux_2_17_x86_64'];
    const args = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--require-hashes', '--only-binary=:all:', ...target, '-d', folder, '-r', wheelList];
    await run('python3', args).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      const remedy = /No module named pip|could not be started/.test(reason) ? 'Run: sudo apt-get install -y python3-pip.' : 'Is the package index reachable?';
      throw new RuntimeError('internal', `What Python builds need could not be fetched. ${remedy} (${reason.slice(0, 500)})`);
    });
  });
}

export const unzip = (file: string, into: string): Promise<string> => run('python3', ['-m', 'zipfile', '-e', file, into]);

/** Puts the program of uv at `path`. @param aside an empty folder to work in */
export async function placeUv(wheels: string, aside: string, path: string): Promise<void> {
  const wheel = (await readdir(wheels)).find((name) => name.startsWith('uv-')) ?? '';
  await unzip(join(wheels, wheel), aside);
  const scripts = (await readdir(aside)).find((name) => name.endsWith('.data')) ?? '';
  await mkdir(join(path, '..'), { recursive: true });
  await cp(join(aside, scripts, 'scripts/uv'), path);
  await chmod(path, 0o755);
}
