import type { agentAuth } from '#contract/imports/agent-auth.ts';
import { connectAuth } from '#core/imports/connection/connect.ts';
import { disconnectAuth } from '#core/imports/connection/disconnect.ts';
import { authStatus } from '#core/imports/connection/status.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentAuthRoutes: Handlers<typeof agentAuth> = {
  status: (ctx, { params }) => authStatus(ctx, params),
  connect: (ctx, { params, body }) => connectAuth(ctx, params.name, body),
  disconnect: (ctx, { params }) => disconnectAuth(ctx, params),
};
