import type { agentStudio, studioGuests, studioRuns } from '#contract/studio/agent-studio.ts';
import { StudioBrief } from '#contract/studio/studio-brief.ts';
import { decideProposal } from '#core/studio/autopilot/decide.ts';
import { runAutopilot } from '#core/studio/autopilot/look.ts';
import { listProposals, readProposal } from '#core/studio/autopilot/proposal.ts';
import { readAutopilot, setAutopilot } from '#core/studio/autopilot/runtime.ts';
import { makeIdeas } from '#core/studio/ideas/make.ts';
import { claimGuestRun, createGuestRun, readGuestRun } from '#core/studio/studio-run/guest.ts';
import { followStudioRun, listStudioRuns, readRun } from '#core/studio/studio-run/read.ts';
import { resolveBrief } from '#core/studio/studio-run/resolve.ts';
import { startStudioRun } from '#core/studio/studio-run/start.ts';
import { startEdit } from '#core/studio/studio-run/start-edit.ts';
import type { Handlers } from '../../http/handlers.ts';
import { jobEvents, resumeAfter } from '../runs/job-events.ts';

export const agentStudioRoutes: Handlers<typeof agentStudio> = {
  resolve: (ctx, { body }) => resolveBrief(ctx, body),
  start: (ctx, { body }) => startStudioRun(ctx, body),
  get: (ctx, { params }) => readRun(ctx, params),
  stream: async (ctx, { params, query }, http) =>
    jobEvents(await followStudioRun(ctx, { ...params, after: resumeAfter(http.lastEventId, query.after), signal: http.signal })),
  ideas: (ctx, { body }) => makeIdeas(ctx, body, (by, idea) => startStudioRun(by, { brief: StudioBrief.parse(idea), decision: 'build_new' })),
  createGuest: (ctx, { body }) => createGuestRun(ctx, body),
  getGuest: (ctx, { params }) => readGuestRun(ctx, params),
  claim: (ctx, { body }) => claimGuestRun(ctx, body),
  autopilot: (ctx) => readAutopilot(ctx),
  setAutopilot: (ctx, { body }) => setAutopilot(ctx, body),
  lookNow: (ctx) => runAutopilot(ctx),
  proposals: (ctx, { query }) => listProposals(ctx, query),
  proposal: (ctx, { params }) => readProposal(ctx, params),
  decide: (ctx, { params, body }) => decideProposal(ctx, { ...params, ...body }, startEdit),
};

export const studioGuestRoutes: Handlers<typeof studioGuests> = {
  createPublicGuest: (ctx, { body }) => createGuestRun(ctx, body),
  getPublicGuest: (ctx, { params }) => readGuestRun(ctx, params),
};

export const studioRunRoutes: Handlers<typeof studioRuns> = {
  list: (ctx, { query }) => listStudioRuns(ctx, query),
};
