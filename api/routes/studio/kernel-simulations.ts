import type { kernelSimulations } from '#contract/studio/kernel-simulations.ts';
import { getSimulation, getTemplates, listSimulations } from '#core/studio/kernel/read.ts';
import { replaySimulation } from '#core/studio/kernel/replay.ts';
import { startSimulation } from '#core/studio/kernel/start.ts';
import type { Handlers } from '../../http/handlers.ts';

export const kernelSimulationRoutes: Handlers<typeof kernelSimulations> = {
  list: (ctx, { query }) => listSimulations(ctx, query),
  start: (ctx, { body }) => startSimulation(ctx, body),
  get: (ctx, { params }) => getSimulation(ctx, params),
  replay: (ctx, { params }) => replaySimulation(ctx, params),
  templates: (ctx) => getTemplates(ctx),
};
