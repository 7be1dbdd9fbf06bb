import type { callerScopes } from '#contract/agents/caller-scopes.ts';
import { giveCallerScopes } from '#core/agents/caller-scopes/give.ts';
import { listCallerScopes } from '#core/agents/caller-scopes/list.ts';
import { withdrawCallerScopes } from '#core/agents/caller-scopes/withdraw.ts';
import type { Handlers } from '../../http/handlers.ts';

export const callerScopesRoutes: Handlers<typeof callerScopes> = {
  list: (ctx, { params }) => listCallerScopes(ctx, params),
  give: (ctx, { params, body }) => giveCallerScopes(ctx, { ...params, ...body }),
  withdraw: (ctx, { params }) => withdrawCallerScopes(ctx, params),
};
