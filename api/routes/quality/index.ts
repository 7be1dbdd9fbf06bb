// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { agentProofRoutes } from './agent-proofs.ts';

export const qualityArea = {
  agentProofs: agentProofRoutes,
} satisfies AreaHandlers;
