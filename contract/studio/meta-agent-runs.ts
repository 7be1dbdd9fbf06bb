// The memory of a coordinator agent about a goal of a user, so that it continues where it was after a
// restart.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant, MAX_INT32, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { META_RUN_STATES } from '../states.ts';

export const MAX_STATE_BYTES = 65_536;

const State = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => new TextEncoder().encode(JSON.stringify(value)).length <= MAX_STATE_BYTES,
    `is larger than ${MAX_STATE_BYTES} bytes as JSON: keep large things in files`,
  );
const goal = trimmedText(4000);
const criteria = z.array(z.string().min(1).max(1000)).max(100).meta({ description: 'When the goal is reached.' });
const Status = z.enum(META_RUN_STATES).meta({ description: 'The last three are final.' });

export const MetaRunIn = z
  .strictObject({ goal, criteria: criteria.default([]), plan: State.default({}), progress: State.default({}), status: Status.default('planning') })
  .meta({ id: 'MetaRunIn' });

export const MetaRunPatchIn = z
  .strictObject({
    version: z.int().min(1).max(MAX_INT32).meta({ description: 'The version that this change was made of.' }),
    goal: goal.optional(),
    criteria: criteria.optional(),
    plan: State.optional(),
    progress: State.optional(),
    status: Status.optional(),
  })
  .meta({ id: 'MetaRunPatchIn', description: 'What is left out stays as it is; plan and progress are replaced whole.' });

export const MetaRunOut = z
  .strictObject({
    run_id: z.string(),
    agent: z.string(),
    goal: z.string(),
    criteria: z.array(z.string()),
    plan: z.record(z.string(), z.unknown()),
    progress: z.record(z.string(), z.unknown()),
    status: Status,
    version: z.int().min(1),
    written_by: z.string().nullable().meta({ description: 'The run that wrote last; null: the user.' }),
    created_at: Instant,
    updated_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'MetaRunOut' });

const MetaRunListOut = z.strictObject({ items: z.array(MetaRunOut), next_cursor: nextCursor }).meta({ id: 'MetaRunListOut' });

const one = AgentParams.extend({ run_id: z.string().regex(/^mrn_[0-9a-f-]{36}$/, 'is not the id of a meta-run') });

export const metaAgentRuns = group({
  list: {
    at: 'GET /v1/agents/{name}/meta-runs',
    summary: "List the goals of the agent for the caller, newest first; a run of the agent sees its user's",
    scope: 'authenticated',
    runs: true,
    params: AgentParams,
    query: pageQuery(20, 100).extend({ state: z.enum(['all', 'open']).default('all').meta({ description: 'open: only what has not ended.' }) }),
    out: MetaRunListOut,
    errors: [400, 401, 403, 404],
  },
  create: {
    at: 'POST /v1/agents/{name}/meta-runs',
    summary: 'Start work on a goal',
    scope: 'authenticated',
    runs: true,
    params: AgentParams,
    body: MetaRunIn,
    out: MetaRunOut,
    status: 201,
    errors: [401, 403, 404, 409],
  },
  get: {
    at: 'GET /v1/agents/{name}/meta-runs/{run_id}',
    summary: 'Read the memory of one goal',
    scope: 'authenticated',
    runs: true,
    params: one,
    out: MetaRunOut,
    errors: [401, 403, 404],
  },
  update: {
    at: 'PATCH /v1/agents/{name}/meta-runs/{run_id}',
    summary: 'Remember what has changed',
    description: 'Compare and set: a change of an older version answers 409 and names the present one, so that of two writers neither undoes the other.',
    scope: 'authenticated',
    runs: true,
    params: one,
    body: MetaRunPatchIn,
    out: MetaRunOut,
    errors: [401, 403, 404, 409],
  },
});
