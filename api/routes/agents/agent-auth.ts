import type { agentAuth } from '#contract/agents/agent-auth.ts';
import { connectAuth } from '#core/agents/connection/connect.ts';
import { disconnectAuth } from '#core/agents/connection/disconnect.ts';
import { authStatus } from '#core/agents/connection/status.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentAuthRoutes: Handlers<typeof agentAuth> = {
  status: (ctx, { params }) => authStatus(ctx, params),
  connect: (ctx, { params, body }) => connectAuth(ctx, params.name, body),
  disconnect: (ctx, { params }) => disconnectAuth(ctx, params),
};
