// A goal in, a private agent out. What can be reused is looked for first; nothing is published, granted or
// spent beyond a cap but by a person.
import { z } from 'zod';
import { eventStream, group, svcGroup } from '../kit.ts';
import { nextCursor, pageQuery, SequenceNumber } from '../shared.ts';
import { JobEventOut } from '../runs/work-ledger.ts';
import { AutopilotIn, AutopilotOut, AutopilotRunOut, ProposalDecisionIn, ProposalId, ProposalListOut, ProposalOut, proposalQuery } from './autopilot.ts';
import { IdeasIn, IdeasOut } from './ideas.ts';
import { GuestBrief, GuestClaimIn, GuestRunCreatedOut, GuestRunOut, GuestToken, StudioBrief, StudioPlanOut, StudioRunIn, StudioRunOut, StudioRunParams } from './studio-brief.ts'; // prettier-ignore

const ProposalParams = z.object({ proposal_id: ProposalId });
const GuestParams = z.object({ token: GuestToken });

export const agentStudio = group({
  resolve: {
    at: 'POST /v1/agents/studio/resolve',
    summary: 'Decide how to reach a goal: use, compose, fork or edit an existing agent, or build one',
    description: 'The plan is valid for 15 minutes, and only for this brief. Nothing is built, deployed or called.',
    scope: 'authenticated',
    body: StudioBrief,
    out: StudioPlanOut,
    status: 201,
    errors: [400, 401, 403, 409],
  },
  start: {
    at: 'POST /v1/agents/studio/runs',
    summary: 'Make the agent of a brief: written, checked in a machine, reviewed, deployed for you only, called with samples',
    description:
      'It stops at its budget, after an hour, after 12 calls and after its iterations. Its events and its cancelling are those of the job. It never publishes: a person does.',
    scope: 'authenticated',
    body: StudioRunIn,
    out: StudioRunOut,
    status: 202,
    errors: [400, 401, 403, 404, 409],
  },
  get: {
    at: 'GET /v1/agents/studio/runs/{run_id}',
    summary: 'Read the state of a run of the studio',
    scope: 'authenticated',
    params: StudioRunParams,
    out: StudioRunOut,
    errors: [401, 403, 404],
  },
  stream: {
    at: 'GET /v1/agents/studio/runs/{run_id}/stream',
    summary: 'Events of a run of the studio as they happen',
    description:
      'Server-sent events: studio.step with phase, actor, status and message, job.* beside them. The id is the sequence number, so Last-Event-ID resumes without a gap. Ends after the last one.',
    scope: 'authenticated',
    params: StudioRunParams,
    query: z.object({ after: SequenceNumber.default(0) }),
    out: eventStream(JobEventOut),
    errors: [401, 403, 404],
  },
  ideas: {
    at: 'POST /v1/agents/studio/idea-factory',
    summary: 'A hundred ideas for agents on a theme, scored; the best three can be built',
    scope: 'authenticated',
    body: IdeasIn,
    out: IdeasOut,
    errors: [400, 401, 403, 409],
  },
  createGuest: {
    at: 'POST /v1/agents/studio/guest-runs',
    summary: 'Write the source of an agent under a random token: nothing is run, and it has no owner until it is claimed',
    scope: 'authenticated',
    body: GuestBrief,
    out: GuestRunCreatedOut,
    status: 201,
    errors: [400, 401, 403, 409, 429],
    limit: 'create',
  },
  getGuest: {
    at: 'GET /v1/agents/studio/guest-runs/{token}',
    summary: 'A guest run, for who has its token; a day after it was made it is gone',
    scope: 'authenticated',
    params: GuestParams,
    out: GuestRunOut,
    errors: [401, 403, 404],
  },
  claim: {
    at: 'POST /v1/agents/studio/guest-runs/claim',
    summary: 'Make the agent of a guest run yours: a run of the studio builds and deploys it. Once',
    scope: 'authenticated',
    body: GuestClaimIn,
    out: StudioRunOut,
    status: 202,
    errors: [400, 401, 403, 404, 409],
  },
  autopilot: {
    at: 'GET /v1/agents/studio/autopilot',
    summary: 'Whether your agents are looked at each day',
    scope: 'authenticated',
    out: AutopilotOut,
    errors: [401, 403],
  },
  setAutopilot: {
    at: 'PUT /v1/agents/studio/autopilot',
    summary: 'Let your agents be looked at each day, at an hour of a time zone',
    scope: 'authenticated',
    body: AutopilotIn,
    out: AutopilotOut,
    errors: [401, 403],
  },
  lookNow: {
    at: 'POST /v1/agents/studio/autopilot/run',
    summary: 'Look at your agents now: failures, cost, latency, dependencies, findings. Changes nothing; proposes',
    scope: 'authenticated',
    out: AutopilotRunOut,
    errors: [401, 403],
  },
  proposals: {
    at: 'GET /v1/agents/studio/autopilot/proposals',
    summary: 'Proposals of the autopilot, newest first',
    scope: 'authenticated',
    query: proposalQuery,
    out: ProposalListOut,
    errors: [400, 401, 403],
  },
  proposal: {
    at: 'GET /v1/agents/studio/autopilot/proposals/{proposal_id}',
    summary: 'A proposal with its evidence',
    scope: 'authenticated',
    params: ProposalParams,
    out: ProposalOut,
    errors: [401, 403, 404],
  },
  decide: {
    at: 'POST /v1/agents/studio/autopilot/proposals/{proposal_id}/decision',
    summary: 'Accept or reject a proposal; accepting is refused once the source has changed',
    scope: 'authenticated',
    params: ProposalParams,
    body: ProposalDecisionIn,
    out: ProposalOut,
    errors: [400, 401, 403, 404, 409, 503],
  },
});

/** For who has no account yet. */
export const studioGuests = svcGroup({
  createPublicGuest: {
    at: 'POST /v1/public/studio/guest-runs',
    summary: 'Write the source of an agent without an account, under a random token that claims it after sign-in',
    scope: 'public',
    body: GuestBrief,
    out: GuestRunCreatedOut,
    status: 201,
    errors: [400, 409, 429],
    limit: 'create',
  },
  getPublicGuest: {
    at: 'GET /v1/public/studio/guest-runs/{token}',
    summary: 'A guest run, for who has its token',
    scope: 'public',
    params: GuestParams,
    out: GuestRunOut,
    errors: [404],
  },
});

const StudioRunListOut = z.strictObject({ items: z.array(StudioRunOut), next_cursor: nextCursor }).meta({ id: 'StudioRunListOut' });

export const studioRuns = svcGroup({
  list: {
    at: 'GET /v1/me/studio-runs',
    summary: 'Runs of the studio, newest first',
    scope: 'account',
    query: pageQuery(20, 100),
    out: StudioRunListOut,
    errors: [400, 401, 403],
  },
});
