import type { z } from 'zod';
import { typeByName } from '#contract/wire/file-types.ts';
import type { FileMoveIn, FileOut } from '#contract/workspace/files.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { bucketOf } from '../grant/bucket.ts';
import { lockBucket } from './bucket-usage.ts';
import { currentFile, deleteFile, FILE_COLUMNS } from './change.ts';
import { checkConditions } from './conditions.ts';
import { presentFile } from './present.ts';
import { queuedTx } from './queued.ts';
import { noSuchFile } from './read.ts';

/** One file, one new path, no moment at which there are two or none. */
export async function moveFile(ctx: Ctx, i: z.infer<typeof FileMoveIn>): Promise<z.infer<typeof FileOut>> {
  const user = requireUser(ctx, 'file.move');
  const bucket = bucketOf(user.user_id);
  return act(
    ctx,
    'file.move',
    requireUser,
    async (ctx) => {
      await lockBucket(ctx.db, bucket);
      const source = await currentFile(ctx.db, { bucket, path: i.from });
      if (!source) throw noSuchFile(i.from);
      checkConditions({ 'if-match': i.if_match }, source.sha256);
      if (i.from === i.to) return unchanged(presentFile(source));
      const target = await currentFile(ctx.db, { bucket, path: i.to });
      if (target && !i.overwrite) throw new Conflict('path_taken', `There is a file at ${i.to} already: choose another path, or send overwrite: true`);
      checkConditions({ 'if-match': i.to_if_match }, target?.sha256);
      if (target) await deleteFile(ctx, target, { replaced_by: i.from });
      // A new extension may say something else; when it says nothing, the file is what it was.
      const [was, is] = [typeByName(i.from), typeByName(i.to)];
      const { mime_type, file_type } = is && is.mime !== was?.mime ? { mime_type: is.mime, file_type: is.kind } : source;
      const [row] = await ctx
        .db('files')
        .where({ bucket, path: i.from })
        .update({ path: i.to, mime_type, file_type, updated_at: new Date(ctx.clock()) })
        .returning([...FILE_COLUMNS]);
      if (!row) throw noSuchFile(i.from);
      return done({ file: `${bucket}/${i.to}` }, { from: i.from, sha256: row.sha256 }, presentFile(row));
    },
    (ctx, work) => queuedTx(ctx, bucket, work),
  );
}
