import type { subagentRuns } from '#contract/runs/subagent-runs.ts';
import { getSubagentRun, listSubagentRuns } from '#core/runs/subagent/list.ts';
import { rerunSubagentRun } from '#core/runs/subagent/rerun.ts';
import { trackSubagentRun } from '#core/runs/subagent/track.ts';
import type { Handlers } from '../../http/handlers.ts';

export const subagentRunRoutes: Handlers<typeof subagentRuns> = {
  list: (ctx, { query }) => listSubagentRuns(ctx, query),
  track: (ctx, { body }) => trackSubagentRun(ctx, body),
  get: (ctx, { params }) => getSubagentRun(ctx, params),
  rerun: (ctx, { params }) => rerunSubagentRun(ctx, params),
};
