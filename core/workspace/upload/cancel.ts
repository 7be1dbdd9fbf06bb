import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { queuedTx } from '../file/queued.ts';
import { findUpload } from './find.ts';

/** Frees what it reserved; what arrived goes a day later. */
export async function cancelUpload(ctx: Ctx, { upload_id }: { upload_id: string }): Promise<void> {
  const { bucket, path } = await findUpload(ctx, upload_id, 'file.write');
  await act(
    ctx,
    'file.write',
    requireUser,
    async (ctx) => {
      const cancelled = await ctx.db('file_uploads').where({ upload_id, bucket }).delete();
      return cancelled > 0 ? done({ file: `${bucket}/${path}` }, { upload_id, cancelled: true }) : unchanged(undefined);
    },
    (ctx, work) => queuedTx(ctx, bucket, work),
  );
}
