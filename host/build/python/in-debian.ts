// Runs a program in the guests' Debian on this host, at its full speed: an emulated guest takes a minute for
// what takes seconds here.
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../../microvm/images/tools.ts';

/** @param folders path inside → folder of this host; they are back where they were afterwards */
export async function inDebian(debian: string, folders: Readonly<Record<string, string>>, command: readonly string[]): Promise<void> {
  const placed = Object.entries(folders);
  const root = `${placed[0]?.[1] ?? debian}.root`;
  await mkdir(root);
  try {
    await run('tar', ['-xf', debian, '-C', root, '--no-same-owner', '--exclude=./dev/*', '--exclude=./usr/share/*', '--exclude=./var/*']);
    for (const [inside, folder] of placed) {
      await mkdir(dirname(join(root, inside)), { recursive: true });
      await rename(folder, join(root, inside));
    }
    await run('unshare', ['--map-root-user', `--root=${root}`, 'env', '-i', 'PATH=/usr/bin:/bin', 'PYTHONHASHSEED=0', ...command]);
    for (const [inside, folder] of placed) await rename(join(root, inside), folder);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
