import type { allowedOrigins } from '#contract/agents/allowed-origins.ts';
import { getAllowedOrigins } from '#core/agents/allowed-origins/get.ts';
import { setAllowedOrigins } from '#core/agents/allowed-origins/set.ts';
import type { Handlers } from '../../http/handlers.ts';

export const allowedOriginsRoutes: Handlers<typeof allowedOrigins> = {
  get: (ctx, { params }) => getAllowedOrigins(ctx, params),
  set: (ctx, { params, body }) => setAllowedOrigins(ctx, { ...params, ...body }),
};
