// A folder of plain pages: an agent is made beside it, with a copy of them as its frontend.
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Adopted } from './adopt.ts';
import { scaffold } from './scaffold.ts';

const NOT_COPIED = new Set(['node_modules', '.git', '.svc', '.DS_Store']);

export const isStaticSite = (folder: string): boolean => existsSync(join(folder, 'index.html')) && !existsSync(join(folder, 'package.json'));

/** @throws ProjectError where the project's folder is there already */
export async function adoptSite({
  name,
  description,
  folder: site,
  target,
}: {
  name: string;
  description: string;
  folder: string;
  target: string;
}): Promise<Adopted> {
  const own = resolve(target, name);
  const pages = (await readdir(site)).filter((entry) => !NOT_COPIED.has(entry) && !entry.startsWith('.env') && resolve(site, entry) !== own);
  const made = await scaffold({ name, description, target, language: 'javascript', frontend: { kind: 'static', auth: 'public' } });
  const frontend = join(made.folder, 'frontend');
  await rm(frontend, { recursive: true, force: true });
  await mkdir(frontend);
  for (const entry of pages) await cp(join(site, entry), join(frontend, entry), { recursive: true });
  return {
    folder: made.folder,
    framework: 'Static site',
    found: { file: 'index.html', name: 'the pages' },
    entrypoint: made.entrypoint,
    written: ['agent.js, whose skills are examples', 'frontend/ with a copy of the pages'],
  };
}
