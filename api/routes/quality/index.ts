// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { agentProofRoutes, proofDetailRoutes } from './agent-proofs.ts';
import { evaluationRoutes } from './evaluations.ts';
import { findingRoutes } from './findings.ts';

export const qualityArea = {
  agentProofs: { ...agentProofRoutes, ...proofDetailRoutes },
  evaluations: evaluationRoutes,
  findings: findingRoutes,
} satisfies AreaHandlers;
