// The source of a guest run, written into a folder that has nothing yet.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { GuestRunOut } from '#contract/studio/studio-brief.ts';
import { CliError } from '../lib/errors.ts';

/** @throws CliError where the folder is not empty, or a path leads out of it: before anything is written */
export async function writeFiles(folder: string, files: GuestRunOut['files']): Promise<void> {
  const there = await readdir(folder).catch(() => []);
  if (there.length > 0) throw new CliError(`${folder} is not empty: name another folder with --out`);
  const outside = files.find(({ path }) => path.startsWith('/') || normalize(path).split(/[/\\]/).includes('..'));
  if (outside) throw new CliError(`The file ${outside.path} does not belong into a folder: nothing was written`);
  for (const { path, content } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content, { flag: 'wx' });
  }
}
