// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { adversarialReviewLoopRoutes } from './adversarial-review-loops.ts';
import { agentStudioRoutes } from './agent-studio.ts';
import { collectiveRuntimeRoutes } from './collective-runtime.ts';
import { companyBrainRoutes } from './company-brain.ts';
import { kernelEvolutionRoutes } from './kernel-evolution.ts';
import { kernelSimulationRoutes } from './kernel-simulations.ts';
import { metaAgentRunRoutes } from './meta-agent-runs.ts';
import { protocolSimulationRoutes } from './protocol-simulations.ts';
import { trialRoomRoutes } from './trial-rooms.ts';

export const studioArea = {
  adversarialReviewLoops: adversarialReviewLoopRoutes,
  agentStudio: agentStudioRoutes,
  collectiveRuntime: collectiveRuntimeRoutes,
  companyBrain: companyBrainRoutes,
  kernelEvolution: kernelEvolutionRoutes,
  kernelSimulations: kernelSimulationRoutes,
  metaAgentRuns: metaAgentRunRoutes,
  protocolSimulations: protocolSimulationRoutes,
  trialRooms: trialRoomRoutes,
} satisfies AreaHandlers;
