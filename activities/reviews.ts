// What reviews do outside their workflow: thin over core/quality/review.
import { endReview, beginReview, runReview, type ReviewSettings } from '#core/quality/review/steps.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Fault } from '#core/kernel/errors.ts';
import { newId } from '#core/kernel/ids.ts';
import { longRunning } from './long-running.ts';

export type ReviewActivities = ReturnType<typeof createReviewActivities>;

export function createReviewActivities(deps: Omit<Ctx, 'actor' | 'requestId'>, settings: ReviewSettings = {}) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'reviewer' }, requestId: newId('req', deps.clock()) });
  return {
    beginReview: (reviewId: string): Promise<boolean> => beginReview(platform(), reviewId),
    review: (reviewId: string): Promise<void> => longRunning(() => runReview(platform(), reviewId, settings)),
    endReview: (reviewId: string, fault: Fault): Promise<void> => endReview(platform(), reviewId, fault),
  };
}
