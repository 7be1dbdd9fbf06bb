// Files to a commit of the agent's repository, and back.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { inScratch } from '../../kernel/scratch.ts';
import type { ProjectFile } from './pack.ts';
import { unpackSource } from './unpack.ts';

export async function commitFiles(
  ctx: Pick<Ctx, 'drivers'>,
  user: UserActor,
  { files, ...to }: { repository: string; branch: string; files: readonly ProjectFile[]; message: string },
): Promise<string> {
  return inScratch(ctx, 'commit', async (folder) => {
    for (const { path, content } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const author = { name: user.email.split('@')[0] ?? 'owner', email: user.email };
    return (await ctx.drivers.scm.commitTree({ ...to, folder, author })).commit;
  });
}

/** Ordered by path. */
export async function filesOfCommit(ctx: Pick<Ctx, 'drivers'>, repository: string, commit: string): Promise<ProjectFile[]> {
  return inScratch(ctx, 'commit', async (folder) => {
    await unpackSource(Readable.from(await ctx.drivers.scm.archive({ repository, commit }), { objectMode: false }), folder);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    const files: ProjectFile[] = [];
    for (const path of paths.toSorted()) {
      const executable = ((await stat(join(folder, path))).mode & 0o111) !== 0;
      files.push({ path, content: await readFile(join(folder, path)), ...(executable && { executable }) });
    }
    return files;
  });
}
