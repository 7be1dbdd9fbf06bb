import { requireUser } from '../../kernel/policy.ts';
import { act, recorded } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { bucketOf } from '../grant/bucket.ts';
import { lockBucket } from './bucket-usage.ts';
import { currentFile, deleteFile } from './change.ts';
import { checkConditions, type Conditions } from './conditions.ts';
import { queuedTx } from './queued.ts';
import { noSuchFile } from './read.ts';

/** Its content goes a day after the last file, patch or artifact that has the same. */
export async function removeFile(ctx: Ctx, { path }: { path: string }, conditions: Conditions): Promise<void> {
  const user = requireUser(ctx, 'file.delete');
  const bucket = bucketOf(user.user_id);
  await act(
    ctx,
    'file.delete',
    requireUser,
    async (ctx) => {
      await lockBucket(ctx.db, bucket);
      const current = await currentFile(ctx.db, { bucket, path });
      if (!current) throw noSuchFile(path);
      checkConditions(conditions, current.sha256);
      await deleteFile(ctx, current);
      return recorded(undefined);
    },
    (ctx, work) => queuedTx(ctx, bucket, work),
  );
}
