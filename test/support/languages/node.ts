// Packages of npm for tests, each set installed on its own into a folder of its own, which is made once.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '#stack/setup/folders.mjs';

const run = promisify(execFile);

/** The folder that has them in its node_modules; with `name@version` of each. No script of a package runs. */
export async function nodeWith(packages: readonly string[]): Promise<string> {
  const key = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(process.env), 'node', key);
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const draft = await mkdtemp(`${folder}.`);
  await writeFile(join(draft, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', ...packages], { cwd: draft });
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    // Another test made it at the same moment.
    if (!existsSync(folder)) throw error;
  });
  return folder;
}
