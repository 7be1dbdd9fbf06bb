// What review loops do outside their workflow: thin over core/studio/review-loop.
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { endReviewLoop, type LoopEnd } from '#core/studio/review-loop/end-by-workflow.ts';
import { type Advanced, advanceLoop } from '#core/studio/review-loop/step.ts';
import { longRunning } from './long-running.ts';

export type ReviewLoopActivities = ReturnType<typeof createReviewLoopActivities>;

export function createReviewLoopActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'review-loops' }, requestId: newId('req', deps.clock()) });
  return {
    advanceReviewLoop: (jobId: string): Promise<Advanced> => longRunning((signal) => advanceLoop(platform(), jobId, signal)),
    endReviewLoop: (jobId: string, how: LoopEnd): Promise<void> => endReviewLoop(platform(), jobId, how),
  };
}
