import type { publicRoutes as publicGroup } from '#contract/public/public.ts';
import { publishedKeys } from '#core/evidence/receipt/published-keys.ts';
import { getPublicBounty, listPublicBounties } from '#core/money/bounty/list.ts';
import { getPublicAgent } from '#core/public/agent/get.ts';
import { listPublicAgents } from '#core/public/agent/list.ts';
import type { Handlers } from '../../http/handlers.ts';

export const publicRoutes: Handlers<typeof publicGroup> = {
  agents: (ctx, { query }) => listPublicAgents(ctx, query),
  agent: (ctx, { params }) => getPublicAgent(ctx, params),
  bounties: (ctx, { query }) => listPublicBounties(ctx, query),
  bounty: (ctx, { params }) => getPublicBounty(ctx, params),
  receiptKeys: (ctx) => publishedKeys(ctx),
};
