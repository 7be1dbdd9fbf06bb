import type { metaAgentRuns } from '#contract/studio/meta-agent-runs.ts';
import { createMetaRun } from '#core/studio/meta-run/create.ts';
import { getMetaRun, listMetaRuns } from '#core/studio/meta-run/list.ts';
import { updateMetaRun } from '#core/studio/meta-run/update.ts';
import type { Handlers } from '../../http/handlers.ts';

export const metaAgentRunRoutes: Handlers<typeof metaAgentRuns> = {
  list: (ctx, { params, query }) => listMetaRuns(ctx, { ...params, ...query }),
  create: (ctx, { params, body }) => createMetaRun(ctx, { ...params, ...body }),
  get: (ctx, { params }) => getMetaRun(ctx, params),
  update: (ctx, { params, body }) => updateMetaRun(ctx, { ...params, ...body }),
};
