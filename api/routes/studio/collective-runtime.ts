import type { collectiveRuntime } from '#contract/studio/collective-runtime.ts';
import { extractMemories, listMemories } from '#core/studio/collective/memory.ts';
import { listProtocols, planTeam } from '#core/studio/collective/plan.ts';
import { collectiveOverview, listTeamRuns, readTeamRun } from '#core/studio/collective/read.ts';
import { advanceTeam, decideGates, startTeam } from '#core/studio/collective/run.ts';
import { listRegistry, listScorecards } from '#core/studio/collective/scorecards.ts';
import type { Handlers } from '../../http/handlers.ts';

export const collectiveRuntimeRoutes: Handlers<typeof collectiveRuntime> = {
  overview: (ctx) => collectiveOverview(ctx),
  protocols: (ctx) => listProtocols(ctx),
  registry: (ctx, { query }) => listRegistry(ctx, query),
  scorecards: (ctx, { query }) => listScorecards(ctx, query),
  plan: (ctx, { body }) => planTeam(ctx, body),
  runs: (ctx, { query }) => listTeamRuns(ctx, query),
  start: (ctx, { body }) => startTeam(ctx, body),
  run: (ctx, { params }) => readTeamRun(ctx, params),
  advance: (ctx, { params }) => advanceTeam(ctx, params),
  approve: (ctx, { params, body }) => decideGates(ctx, { ...params, ...body }),
  memories: (ctx, { query }) => listMemories(ctx, query),
  extract: (ctx, { body }) => extractMemories(ctx, body),
};
