import type { kernelEvolution } from '#contract/studio/kernel-evolution.ts';
import { getEvolution, listEvolutions } from '#core/studio/kernel/read.ts';
import { replayEvolution } from '#core/studio/kernel/replay.ts';
import { startEvolution } from '#core/studio/kernel/start.ts';
import type { Handlers } from '../../http/handlers.ts';

export const kernelEvolutionRoutes: Handlers<typeof kernelEvolution> = {
  list: (ctx, { query }) => listEvolutions(ctx, query),
  start: (ctx, { body }) => startEvolution(ctx, body),
  get: (ctx, { params }) => getEvolution(ctx, params),
  replay: (ctx, { params }) => replayEvolution(ctx, params),
};
