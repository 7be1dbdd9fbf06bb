import type { Knex } from 'knex';
import type { z } from 'zod';
import type { FolderMoveIn, FolderMoveOut } from '#contract/workspace/folders.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Invalid, NotFound } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { isPath } from '#contract/wire/patterns.ts';
import { bucketOf } from '../grant/bucket.ts';
import { lockBucket } from './bucket-usage.ts';
import { deleteFile, FILE_COLUMNS, type FilesRow } from './change.ts';
import { queuedTx } from './queued.ts';

const NAMED = 5;

/**
 * All files of a folder get their new paths in one statement: readers see all of them at the old place or all
 * at the new one. Grants and unfinished uploads are for paths and stay where they are.
 * @throws Conflict path_taken, NotFound folder_not_found, Invalid
 */
export async function moveFolder(ctx: Ctx, { from, to, overwrite }: z.infer<typeof FolderMoveIn>): Promise<z.infer<typeof FolderMoveOut>> {
  const user = requireUser(ctx, 'file.move');
  if (to.startsWith(from) && to !== from) throw new Invalid([{ path: ['body', 'to'], message: 'lies in the folder itself' }]);
  const bucket = bucketOf(user.user_id);
  return act(
    ctx,
    'file.move',
    requireUser,
    async (ctx) => {
      await lockBucket(ctx.db, bucket);
      const paths: string[] = await ctx.db('files').where({ bucket }).whereRaw('starts_with(path, ?)', [from]).orderBy('path').pluck('path');
      if (paths.length === 0) throw new NotFound('folder_not_found', `There is no file in ${from}`);
      if (from === to) return unchanged({ from, to, files: paths.length });
      const wrong = paths.find((path) => !isPath(moved(path, from, to)));
      if (wrong !== undefined) throw new Invalid([{ path: ['body', 'to'], message: `is too long for ${wrong}` }]);
      // Those that move along give their places up themselves: a folder may move to one above it.
      const taken: FilesRow[] = await ctx
        .db('files')
        .where({ bucket })
        .whereRaw('not starts_with(path, ?)', [from])
        .whereIn(
          'path',
          paths.map((path) => moved(path, from, to)),
        ) // prettier-ignore
        .orderBy('path')
        .select([...FILE_COLUMNS]);
      if (taken.length > 0 && !overwrite) throw taking(taken);
      for (const file of taken) await deleteFile(ctx, file, { replaced_by: from });
      // To a folder above it: one file may take the path that another one leaves, and the index checks each
      // row separately. So all leave first.
      const steps = from.startsWith(to) ? [[from, ASIDE], [ASIDE, to]] : [[from, to]]; // prettier-ignore
      for (const [was = '', is = ''] of steps) await rename(ctx.db, bucket, was, is, new Date(ctx.clock()));
      const after = { from, files: paths.length, replaced: taken.length };
      return done({ file: `${bucket}/${to}` }, after, { from, to, files: paths.length });
    },
    (ctx, work) => queuedTx(ctx, bucket, work),
  );
}

/** No file has such a path: it is none. */
const ASIDE = '//';

async function rename(tx: Knex, bucket: string, from: string, to: string, now: Date): Promise<void> {
  await tx.raw(`update files set path = :to || substr(path, char_length(:from) + 1), updated_at = :now where bucket = :bucket and starts_with(path, :from)`, {
    bucket,
    from,
    to,
    now,
  });
}

const moved = (path: string, from: string, to: string): string => `${to}${path.slice(from.length)}`;

function taking(taken: readonly FilesRow[]): Conflict {
  const names = taken.slice(0, NAMED).map(({ path }) => path);
  const more = taken.length > NAMED ? ` and ${taken.length - NAMED} more` : '';
  return new Conflict('path_taken', `There are files already at ${names.join(', ')}${more}: choose another folder, or send overwrite: true`);
}
