import type { ReviewLoopOut } from '#contract/studio/adversarial-review-loops.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { act, done } from '../../kernel/act.ts';
import { cancelJob } from '../../runs/job/cancel.ts';
import { ownedLoop } from './find.ts';
import { presentLoops } from './present.ts';

/**
 * Its workflow ends it and removes its scope. Asking again changes nothing. @throws NotFound
 * review_loop_not_found; Conflict review_loop_ended
 */
export async function stopLoop(ctx: Ctx, i: { name: string; job_id: string }): Promise<ReviewLoopOut> {
  const loop = (ctx: Ctx, action: 'review_loop.stop') => ownedLoop(ctx, action, i);
  await act(ctx, 'review_loop.stop', loop, async (ctx, { job_id, ended_at }) => {
    if (ended_at !== null) throw new Conflict('review_loop_ended', `${job_id} has ended: there is nothing left to stop`);
    await cancelJob(ctx, { job_id });
    return done({ job: job_id }, {});
  });
  const [shown] = await presentLoops(ctx.db, [await ownedLoop(ctx, 'review_loop.read', i)]);
  if (!shown) throw new Error('a loop was not presented');
  return shown;
}
