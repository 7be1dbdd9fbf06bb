import type { findings } from '#contract/quality/findings.ts';
import { listFindings } from '#core/quality/finding/list.ts';
import { answerFinding } from '#core/studio/review-loop/answer.ts';
import type { Handlers } from '../../http/handlers.ts';

export const findingRoutes: Handlers<typeof findings> = {
  list: (ctx, { params, query }) => listFindings(ctx, { ...params, ...query }),
  answer: (ctx, { params, body }) => answerFinding(ctx, { ...params, ...body }),
};
