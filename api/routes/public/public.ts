import type { publicRoutes as publicGroup } from '#contract/public/public.ts';
import { BADGE_SECONDS, badgeOf, svgOf } from '#core/evidence/proof/badge.ts';
import { getPublishedProof, listPublishedProofs, proofStanding } from '#core/evidence/proof/published.ts';
import { publishedKeys } from '#core/evidence/receipt/published-keys.ts';
import { getPublicBounty, listPublicBounties } from '#core/money/bounty/list.ts';
import { getPublicAgent } from '#core/public/agent/get.ts';
import { listPublicAgents } from '#core/public/agent/list.ts';
import { type Handlers, Picture } from '../../http/handlers.ts';

export const publicRoutes: Handlers<typeof publicGroup> = {
  agents: (ctx, { query }) => listPublicAgents(ctx, query),
  agent: (ctx, { params }) => getPublicAgent(ctx, params),
  bounties: (ctx, { query }) => listPublicBounties(ctx, query),
  bounty: (ctx, { params }) => getPublicBounty(ctx, params),
  proofs: (ctx, { query }) => listPublishedProofs(ctx, query),
  latestProof: async (ctx, { params, query }, http) => {
    const standing = await proofStanding(ctx, params);
    const headers = { 'cache-control': `public, max-age=${BADGE_SECONDS}`, vary: 'accept' };
    const format = query.format ?? (wantsPicture(http.header('accept')) ? 'svg' : 'json');
    if (format === 'svg') return new Picture(svgOf(standing), headers);
    return format === 'badge' ? http.reply(200, badgeOf(standing), headers) : standing;
  },
  proof: (ctx, { params }) => getPublishedProof(ctx, params),
  receiptKeys: (ctx) => publishedKeys(ctx),
};

/** A browser that shows an image names the type; one that opens a page takes everything. */
function wantsPicture(accept: string | undefined): boolean {
  return accept !== undefined && accept.includes('image/svg+xml') && !accept.includes('application/json') && !accept.includes('text/html');
}
