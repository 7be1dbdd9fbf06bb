import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { queuedTx } from '../file/queued.ts';
import { findUpload } from './find.ts';

/** Frees what it reserved; what arrived goes a day later. */
export async function cancelUpload(ctx: Ctx, { upload_id }: { upload_id: string }): Promise<void> {
  const { bucket, path } = await findUpload(ctx, upload_id, 'file.write');
  await queuedTx(ctx, bucket, async (ctx) => {
    const cancelled = await ctx.db('file_uploads').where({ upload_id, bucket }).delete();
    if (cancelled > 0) await audit(ctx, 'file.write', { file: `${bucket}/${path}` }, { upload_id, cancelled: true });
  });
}
