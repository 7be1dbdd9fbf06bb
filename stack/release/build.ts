// What a release hands out, in a folder: packages, their list of parts, and the checksums of them all.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Released } from './changelog.ts';
import { packNpm, packPython } from './packages.ts';
import { sbomOf } from './sbom.ts';

export const SUMS = 'SHA256SUMS';

/** Names of the files; those of an earlier build go. */
export async function buildRelease(release: Released, folder: string): Promise<string[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const npm = await packNpm(folder);
  const python = await packPython(folder, release.date);
  const sbom = `svc-${release.version}.cdx.json`;
  const sdist = python.find((name) => name.endsWith('.tar.gz')) ?? '';
  await writeFile(join(folder, sbom), await sbomOf(release, join(folder, sdist)));
  const files = [...npm, ...python, sbom].toSorted();
  const sums = await Promise.all(
    files.map(
      async (name) =>
        `${createHash('sha256')
          .update(await readFile(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    ),
  );
  await writeFile(join(folder, SUMS), sums.join(''));
  return [...files, SUMS];
}
