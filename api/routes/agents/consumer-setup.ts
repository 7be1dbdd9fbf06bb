import type { consumerSetup } from '#contract/agents/consumer-setup.ts';
import { getSetup, tryInvocation } from '#core/agents/setup/get.ts';
import { deleteSetup, putOrgSetup, putSetup } from '#core/agents/setup/put.ts';
import type { Handlers } from '../../http/handlers.ts';

export const consumerSetupRoutes: Handlers<typeof consumerSetup> = {
  get: (ctx, { params }) => getSetup(ctx, params),
  put: (ctx, { params, body }) => putSetup(ctx, { ...params, ...body }),
  invocation: (ctx, { params, body }) => tryInvocation(ctx, { ...params, ...body }),
  putOrg: (ctx, { params, body }) => putOrgSetup(ctx, { ...params, ...body }),
  delete: (ctx, { params }) => deleteSetup(ctx, params),
};
