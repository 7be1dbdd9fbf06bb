import type { workLedger } from '#contract/runs/work-ledger.ts';
import { listActivity } from '#core/runs/job/activity.ts';
import { cancelJob } from '#core/runs/job/cancel.ts';
import { followJob, getJob, listJobEvents } from '#core/runs/job/read.ts';
import type { Handlers } from '../../http/handlers.ts';
import { jobEvents, resumeAfter } from './job-events.ts';

export const workLedgerRoutes: Handlers<typeof workLedger> = {
  activity: (ctx, { query }) => listActivity(ctx, query),
  get: (ctx, { params }) => getJob(ctx, params),
  cancel: (ctx, { params }) => cancelJob(ctx, params),
  events: (ctx, { params, query }) => listJobEvents(ctx, { ...params, ...query }),
  stream: async (ctx, { params, query }, http) =>
    jobEvents(await followJob(ctx, { ...params, after: resumeAfter(http.lastEventId, query.after), signal: http.signal })),
};
