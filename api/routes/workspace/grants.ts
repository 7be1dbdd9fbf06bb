import type { grants } from '#contract/workspace/grants.ts';
import { getGrant } from '#core/workspace/grant/get.ts';
import { listGrants } from '#core/workspace/grant/list.ts';
import type { Handlers } from '../../http/handlers.ts';

export const grantRoutes: Handlers<typeof grants> = {
  list: (ctx, { query }) => listGrants(ctx, query),
  get: (ctx, { params }) => getGrant(ctx, params),
};
