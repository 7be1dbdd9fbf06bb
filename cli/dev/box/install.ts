// The packages of a project in the box, again when what names them has changed. The SDK is the box's own.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ProjectError } from '../../project/problem.ts';

const LOCKS = ['bun.lock', 'package-lock.json', 'yarn.lock', 'pnpm-lock.yaml'];
const INSTALL_MS = 15 * 60_000;
const Dependencies = z.record(z.string(), z.string()).optional();
const Manifest = z.looseObject({ dependencies: Dependencies, devDependencies: Dependencies, optionalDependencies: Dependencies });

/** In `.svc` of the project, to which its node_modules links. False: they were there. @throws ProjectError */
export async function installDependencies(folder: string, say: (text: string) => void): Promise<boolean> {
  if (!existsSync(join(folder, 'package.json'))) return false;
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  const { dependencies = {}, optionalDependencies = {}, devDependencies: _dev, ...rest } = parsed(text, folder);
  const { '@svc/sdk': _sdk, ...wanted } = dependencies;
  if (Object.keys(wanted).length + Object.keys(optionalDependencies).length === 0) return false;
  const locks = await Promise.all(LOCKS.map(async (name) => [name, await readFile(join(folder, name)).catch(() => undefined)] as const));
  const hash = createHash('sha256').update(JSON.stringify({ wanted, optionalDependencies }));
  for (const [name, lock] of locks) if (lock !== undefined) hash.update(name).update(lock);
  const need = hash.digest('hex');
  const place = join(folder, '.svc', 'packages');
  if ((await readFile(join(place, 'installed'), 'utf8').catch(() => '')) === need) return false;
  const began = performance.now();
  say('installing what package.json names …\n');
  await mkdir(place, { recursive: true });
  await rm(join(place, 'installed'), { force: true });
  await writeFile(join(place, 'package.json'), JSON.stringify({ ...rest, dependencies: wanted, optionalDependencies }));
  for (const [name, lock] of locks) {
    await rm(join(place, name), { force: true });
    if (lock !== undefined) await copyFile(join(folder, name), join(place, name));
  }
  const code = await run('bun', ['install', '--no-progress', '--ignore-scripts', '--production'], place, say);
  if (code !== 0)
    throw new ProjectError([
      { file: join(folder, 'package.json'), message: `its packages could not be installed (bun install ended with ${code}); see above` },
    ]);
  await rm(join(folder, 'node_modules'), { recursive: true, force: true });
  await mkdir(join(place, 'node_modules'), { recursive: true });
  await symlink(join('.svc', 'packages', 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(place, 'installed'), need);
  say(`installed in ${Math.round(performance.now() - began)} ms\n`);
  return true;
}

function parsed(text: string, folder: string): z.infer<typeof Manifest> {
  try {
    return Manifest.parse(JSON.parse(text));
  } catch {
    throw new ProjectError([{ file: join(folder, 'package.json'), message: 'is no package.json that can be read' }]);
  }
}

function run(command: string, args: readonly string[], cwd: string, say: (text: string) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: INSTALL_MS });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => say(chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
