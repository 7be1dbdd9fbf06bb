import type { bounties } from '#contract/money/bounties.ts';
import { getBounty, listBounties } from '#core/money/bounty/list.ts';
import { cancelBounty, claimBounty, fulfillBounty } from '#core/money/bounty/move.ts';
import { postBounty } from '#core/money/bounty/post.ts';
import type { Handlers } from '../../http/handlers.ts';

export const bountyRoutes: Handlers<typeof bounties> = {
  list: (ctx, { query }) => listBounties(ctx, query),
  post: (ctx, { body }) => postBounty(ctx, body),
  get: (ctx, { params }) => getBounty(ctx, params),
  cancel: (ctx, { params }) => cancelBounty(ctx, params),
  claim: (ctx, { params, body }) => claimBounty(ctx, { ...params, ...body }),
  fulfill: (ctx, { params }) => fulfillBounty(ctx, params),
};
