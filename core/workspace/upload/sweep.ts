// Uploads are over a day after they began, finished or not. Their parts' contents go with those that nothing
// refers to.
import type { Ctx } from '../../kernel/ctx.ts';

/** A pass is bounded; the next one continues. */
const BATCH = 500;

/** Resolves with how many went. */
export async function sweepUploads(ctx: Ctx): Promise<number> {
  const { rowCount } = await ctx.db.raw<{ rowCount: number }>(
    `delete from file_uploads where upload_id in (select upload_id from file_uploads where expires_at < :now order by expires_at limit ${BATCH})`,
    { now: new Date(ctx.clock()) },
  );
  return rowCount;
}
