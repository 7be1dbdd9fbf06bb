import type { myRuns } from '#contract/runs/my-runs.ts';
import { contentKeeping, setContentDays } from '#core/runs/content/keeping.ts';
import { runLog } from '#core/runs/record/log.ts';
import { listRuns } from '#core/runs/record/list.ts';
import { readRunRecord } from '#core/runs/record/read.ts';
import type { Handlers } from '../../http/handlers.ts';

export const myRunRoutes: Handlers<typeof myRuns> = {
  list: (ctx, { query }) => listRuns(ctx, query),
  get: (ctx, { params }) => readRunRecord(ctx, params),
  log: (ctx, { params, query }) => runLog(ctx, { ...params, ...query }),
  keeping: (ctx) => contentKeeping(ctx),
  keep: (ctx, { body }) => setContentDays(ctx, body),
};
