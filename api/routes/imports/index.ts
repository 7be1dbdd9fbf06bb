// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { agentAuthRoutes } from './agent-auth.ts';

export const importsArea = {
  agentAuth: agentAuthRoutes,
} satisfies AreaHandlers;
