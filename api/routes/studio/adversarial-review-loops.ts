import type { adversarialReviewLoops } from '#contract/studio/adversarial-review-loops.ts';
import { listLoops, readLoop } from '#core/studio/review-loop/list.ts';
import { postEvent } from '#core/studio/review-loop/post-event.ts';
import { startLoop } from '#core/studio/review-loop/start.ts';
import { stopLoop } from '#core/studio/review-loop/stop.ts';
import type { Handlers } from '../../http/handlers.ts';

export const adversarialReviewLoopRoutes: Handlers<typeof adversarialReviewLoops> = {
  list: (ctx, { params, query }) => listLoops(ctx, { ...params, ...query }),
  create: (ctx, { params, body }) => startLoop(ctx, { ...params, ...body }),
  get: (ctx, { params }) => readLoop(ctx, params),
  event: (ctx, { params, body }) => postEvent(ctx, { ...params, ...body }),
  stop: (ctx, { params }) => stopLoop(ctx, params),
};
