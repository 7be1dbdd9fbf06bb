import type { Ctx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { endLoop } from './end.ts';
import { specOf } from './model.ts';
import { deadlinePassed } from './step.ts';

/** late: its deadline · cancelled: somebody stopped it · failed: its steps failed again and again. */
export type LoopEnd = 'late' | 'cancelled' | 'failed';

export async function endReviewLoop(ctx: Ctx, jobId: string, how: LoopEnd): Promise<void> {
  const loop = await ctx.db('review_loops').where({ job_id: jobId }).first('spec');
  if (!loop) return;
  const faults: Record<LoopEnd, Fault> = {
    late: deadlinePassed(specOf(loop).deadline_seconds),
    cancelled: { code: 'cancelled', message: 'It was stopped: what was found until then is kept' },
    failed: { code: 'review_loop_failed', message: 'Its steps failed again and again: the log of the worker says why; what was found is kept' },
  };
  await endLoop(ctx, jobId, faults[how]);
}
