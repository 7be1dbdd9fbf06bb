import type { brainChanges, companyBrain } from '#contract/studio/company-brain.ts';
import { listArtifacts } from '#core/studio/brain/artifact.ts';
import { undoChange } from '#core/studio/brain/change.ts';
import { addDispatch, listDispatches, runDispatches } from '#core/studio/brain/dispatch.ts';
import { ageMemories, dream } from '#core/studio/brain/dream.ts';
import { giveFeedback } from '#core/studio/brain/feedback.ts';
import { proposeSelection, takePopulation } from '#core/studio/brain/population.ts';
import { setRuntime } from '#core/studio/brain/runtime.ts';
import { brainStatus } from '#core/studio/brain/status.ts';
import { holdTownhall } from '#core/studio/brain/townhall.ts';
import type { Handlers } from '../../http/handlers.ts';

export const companyBrainRoutes: Handlers<typeof companyBrain> = {
  status: (ctx) => brainStatus(ctx),
  runtime: (ctx, { body }) => setRuntime(ctx, body),
  population: (ctx) => takePopulation(ctx),
  selection: (ctx, { body }) => proposeSelection(ctx, body),
  aging: (ctx, { body }) => ageMemories(ctx, body),
  feedback: (ctx, { body }) => giveFeedback(ctx, body),
  dispatches: (ctx, { query }) => listDispatches(ctx, query),
  dispatch: (ctx, { body }) => addDispatch(ctx, body),
  runOnce: (ctx, { body }) => runDispatches(ctx, body),
  dream: (ctx) => dream(ctx),
  townhall: (ctx) => holdTownhall(ctx),
  artifacts: (ctx, { params, query }) => listArtifacts(ctx, { ...params, ...query }),
};

export const brainChangeRoutes: Handlers<typeof brainChanges> = { undoChange: (ctx, { params }) => undoChange(ctx, params) };
