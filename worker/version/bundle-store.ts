// Bundles of earlier code, kept for as long as open workflows are pinned to them. In the state folder: a
// cache may be emptied.
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';

export interface BundleStore {
  /** Build id and path of those that this program can run, the oldest first. */
  list(): Promise<{ buildId: string; codePath: string }[]>;
  keep(buildId: string, codePath: string): Promise<void>;
  remove(buildId: string): Promise<void>;
}

// A bundle holds the library's half of the protocol with its worker: both must be of one release.
const { version: library } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('@temporalio/worker/package.json'));

export function bundleStore(folder: string): BundleStore {
  const suffix = `@${library}.js`;
  const pathOf = (buildId: string): string => join(folder, `${buildId}${suffix}`);
  return {
    async list() {
      const names = await readdir(folder).catch((): string[] => []);
      const ours = names.filter((name) => name.endsWith(suffix));
      const dated = await Promise.all(ours.map(async (name) => ({ name, since: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })));
      return dated.toSorted((a, b) => a.since - b.since).map(({ name }) => ({ buildId: name.slice(0, -suffix.length), codePath: join(folder, name) }));
    },
    async keep(buildId, codePath) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = `${pathOf(buildId)}.${process.pid}`;
      await copyFile(codePath, temporary);
      await rename(temporary, pathOf(buildId));
    },
    remove: (buildId) => rm(pathOf(buildId), { force: true }),
  };
}
