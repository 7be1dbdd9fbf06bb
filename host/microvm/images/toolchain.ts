// Disks that a build machine has over the base: a language's tools, and nothing that the base has already.
// Made on first use.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianTar, ensureDebian, packDisk } from './base.ts';
import { cached, hashOf, workFolder } from './cache.ts';
import { debianRecipe } from './debian.mjs';
import { readEdition } from './edition.ts';
import { run } from './tools.ts';

export interface DebianTools {
  /** Names the file: `tools-<name>-….erofs`. */
  name: string;
  packages: readonly string[];
  /** Shell lines run on this host while the tree is open as "$1". */
  hooks?: readonly string[];
  /** Adds files of ours; `parts` name what they are made from. */
  finish?: { parts: readonly string[]; fill: (tree: string) => Promise<void> };
}

/** Tools that Debian packages, as a disk. Half a minute and more the first time. */
export async function ensureDebianTools(
  cacheDir: string,
  { name, packages, hooks = [], finish }: DebianTools,
  onProgress: (text: string) => void,
): Promise<string> {
  const edition = await readEdition(cacheDir);
  const base = await ensureDebian(cacheDir, edition, debianRecipe, onProgress);
  const recipe = { name, packages, hooks, over: base };
  const parts = [base.slice(cacheDir.length), ...packages, ...hooks, ...(finish?.parts ?? [])];
  return cached(cacheDir, `tools-${name}-${hashOf(...parts)}.erofs`, async (path) => {
    const work = await workFolder(path);
    try {
      const [made, had, tree] = [join(work, 'tools.tar'), join(work, 'had'), join(work, 'tree')];
      onProgress(`tools for ${name}: installing (a minute the first time)`);
      // Where files of ours come to it, which change more often, what Debian gives is kept.
      const tar = finish === undefined ? made : await ensureDebian(cacheDir, edition, recipe, onProgress);
      if (finish === undefined) await debianTar(tar, recipe, onProgress);
      // Names of the base's files, one a line and taken literally; folders stay, they hold new files.
      const names = (await run('tar', ['-tf', base])).split('\n').filter((line) => line !== '' && !line.endsWith('/'));
      await writeFile(had, names.join('\n'));
      await mkdir(tree);
      onProgress(`tools for ${name}: packing`);
      const left = ['./dev/*', './var/*', './proc/*', './sys/*', './run/*', './tmp/*'].map((pattern) => `--exclude=${pattern}`);
      await run('tar', ['-xf', tar, '-C', tree, '--no-same-owner', '--same-permissions', ...left, '--no-wildcards', '--anchored', '-X', had]);
      await finish?.fill(tree);
      await packDisk(tree, path);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

/**
 * A disk of what `fill` puts into an empty folder; `parts` decide its name, and so whether it is made again.
 */
export async function ensureDisk(cacheDir: string, name: string, parts: readonly string[], fill: (tree: string) => Promise<void>): Promise<string> {
  return cached(cacheDir, `tools-${name}-${hashOf(...parts)}.erofs`, async (path) => {
    const tree = await workFolder(path);
    try {
      await fill(tree);
      await run('chmod', ['-R', 'a+rX', tree]);
      await packDisk(tree, path);
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  });
}
