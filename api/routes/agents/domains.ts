import type { domains } from '#contract/agents/domains.ts';
import { addDomain } from '#core/agents/domain/add.ts';
import { listDomains } from '#core/agents/domain/list.ts';
import { removeDomain } from '#core/agents/domain/remove.ts';
import { verifyDomain } from '#core/agents/domain/verify.ts';
import type { Handlers } from '../../http/handlers.ts';

export const domainRoutes: Handlers<typeof domains> = {
  domains: (ctx, { params }) => listDomains(ctx, params),
  addDomain: (ctx, { params, body }) => addDomain(ctx, { ...params, ...body }),
  verifyDomain: (ctx, { params }) => verifyDomain(ctx, params),
  removeDomain: (ctx, { params }) => removeDomain(ctx, params),
};
