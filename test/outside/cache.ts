// Other people's programs and documents, fetched once into the cache folder by their registries' own clients.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar';
import { z } from 'zod';
import { cacheFolder } from '#stack/setup/folders.mjs';

const run = promisify(execFile);

const outside = (): string => join(cacheFolder(process.env), 'outside');

/** The unpacked package of npm. */
export async function npmPackage(name: string, version: string): Promise<string> {
  return once(join(outside(), `${name.replaceAll('/', '+')}-${version}`), async (folder) => {
    const { stdout } = await run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder], { cwd: folder });
    await extract({ file: join(folder, stdout.trim()), cwd: folder, strip: 1 });
  });
}

/** A program of Go, and the folder of its module. */
export async function goProgram(module: string, version: string): Promise<{ program: string; module: string }> {
  const folder = await once(join(outside(), `${module.replaceAll('/', '+')}-${version}`), async (made) => {
    await run('go', ['install', `${module}@${version}`], { env: { ...process.env, GOBIN: made, GOFLAGS: '-mod=mod' } });
  });
  const { stdout } = await run('go', ['env', 'GOMODCACHE']);
  return { program: join(folder, module.split('/').at(-1) ?? ''), module: join(stdout.trim(), `${module}@${version}`) };
}

/** A program of Go whose module excludes versions: `go install` refuses it. */
export async function goBuilt(module: string, version: string, main: string, name: string): Promise<string> {
  const folder = await once(join(outside(), `${module.replaceAll('/', '+')}-${version}`), async (made) => {
    const { stdout } = await run('go', ['mod', 'download', '-json', `${module}@${version}`]);
    const source = join(made, 'source');
    await cp(z.object({ Dir: z.string() }).parse(JSON.parse(stdout)).Dir, source, { recursive: true });
    // The module cache is read-only.
    await run('chmod', ['-R', 'u+w', source]);
    await run('go', ['build', '-o', join(made, name), main], { cwd: source, maxBuffer: 2 ** 24 });
    await rm(source, { recursive: true });
  });
  return join(folder, name);
}

/** Whole or not at all: what a killed run left is made again. */
async function once(folder: string, make: (folder: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  try {
    await make(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  return folder;
}
