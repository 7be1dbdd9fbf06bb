// Where the clients are installed: by their own lists, which nothing else of ours needs, in the cache, once
// for each state of these lists.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cached } from '#host/microvm/images/cache.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { pythonWith } from '../support/languages/python.ts';

const run = promisify(execFile);
const PYTHON = join(import.meta.dirname, 'python');
const NODE = join(import.meta.dirname, 'node');

/** An interpreter with these packages. */
export async function pythonClients(requirements = 'requirements.txt'): Promise<string> {
  const list = join(PYTHON, requirements);
  return pythonWith(`clients-${await hashOf(list)}`, ['-r', list]);
}

/** A folder with the packages and the programs that use them. */
export async function nodeClients(): Promise<string> {
  const folder = await cached(join(cacheFolder(process.env), 'node'), `clients-${await hashOf(join(NODE, 'package-lock.json'))}`, async (draft) => {
    await mkdir(draft);
    for (const name of ['package.json', 'package-lock.json', '.npmrc']) await cp(join(NODE, name), join(draft, name));
    await run('npm', ['ci', '--ignore-scripts'], { cwd: draft });
  });
  await cp(NODE, folder, { recursive: true, filter: (path) => path === NODE || path.endsWith('.mjs') });
  return folder;
}

async function hashOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 16);
}
