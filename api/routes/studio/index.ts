// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { adversarialReviewLoopRoutes } from './adversarial-review-loops.ts';
import { agentStudioRoutes, studioGuestRoutes, studioRunRoutes } from './agent-studio.ts';
import { collectiveRuntimeRoutes } from './collective-runtime.ts';
import { brainChangeRoutes, companyBrainRoutes } from './company-brain.ts';
import { kernelEvolutionRoutes } from './kernel-evolution.ts';
import { kernelSimulationRoutes } from './kernel-simulations.ts';
import { metaAgentRunRoutes } from './meta-agent-runs.ts';
import { protocolRegistryRoutes, protocolSimulationRoutes } from './protocol-simulations.ts';
import { trialRoomRoutes } from './trial-rooms.ts';

export const studioArea = {
  adversarialReviewLoops: adversarialReviewLoopRoutes,
  agentStudio: { ...agentStudioRoutes, ...studioGuestRoutes, ...studioRunRoutes },
  collectiveRuntime: collectiveRuntimeRoutes,
  companyBrain: { ...companyBrainRoutes, ...brainChangeRoutes },
  kernelEvolution: kernelEvolutionRoutes,
  kernelSimulations: kernelSimulationRoutes,
  metaAgentRuns: metaAgentRunRoutes,
  protocolSimulations: { ...protocolSimulationRoutes, ...protocolRegistryRoutes },
  trialRooms: trialRoomRoutes,
} satisfies AreaHandlers;
