// Plans over several agents, as they went: what was planned, what waited for what, what came of it. Read
// only.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Fault, Instant, nextCursor, pageQuery } from '../shared.ts';
import { WaitCard } from '../pauses/cards.ts';
import { JobState } from '../runs/work-ledger.ts';
import { PATCH_OPERATIONS, PLAN_NODE_STATES, PLANNERS } from '../states.ts';

const base = {
  dag_run_id: z.string(),
  job_id: z.string().meta({ description: 'Cancelled there.' }),
  thread_id: z.string().nullable(),
  title: z.string(),
  planner: z.enum(PLANNERS).meta({
    description: 'From steps a person wrote, read in their words by rules, chosen by a language model as it went, or made for a team by its protocol.',
  }),
  state: JobState,
  nodes_total: z.int().min(0),
  nodes_ended: z.int().min(0),
  created_at: Instant,
  ended_at: Instant.nullable(),
};

export const DagRunSummary = z.strictObject(base).meta({ id: 'DagRunSummary' });

export const DagNodeOut = z
  .strictObject({
    number: z.int().min(1),
    agent: z.string(),
    skill: z.string(),
    args: z.record(z.string(), z.unknown()).meta({ description: 'The planned arguments: `"$1.result"` stands for the result of step 1.' }),
    depends_on: z.array(z.int()),
    state: z.enum([...PLAN_NODE_STATES, 'waiting']),
    run_id: z.string().nullable(),
    job_id: z.string().nullable(),
    grant_id: z.string().nullable().meta({ description: 'It was called under.' }),
    grants: z.array(z.string()).meta({ description: 'It was given while it ran.' }),
    receipt_id: z.string().nullable(),
    result: z.unknown(),
    error: Fault.nullable(),
    files_changed: z.array(z.strictObject({ path: z.string(), operation: z.enum(PATCH_OPERATIONS), sha256: z.string().nullable() })),
    wait: WaitCard.nullable().meta({ description: 'What it waits for at this moment.' }),
    started_at: Instant.nullable(),
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'DagNodeOut' });

export const DagRunOut = z.strictObject({ ...base, error: Fault.nullable(), nodes: z.array(DagNodeOut) }).meta({ id: 'DagRunOut' });
const DagRunsOut = z.strictObject({ items: z.array(DagRunSummary), next_cursor: nextCursor }).meta({ id: 'DagRunsOut' });

export const dagRuns = group({
  list: {
    at: 'GET /v1/me/dag-runs',
    summary: 'Plans of the account, newest first',
    scope: 'account',
    query: pageQuery(50, 200),
    out: DagRunsOut,
    errors: [400, 401, 403],
  },
  get: {
    at: 'GET /v1/me/dag-runs/{dag_run_id}',
    summary: 'One plan with its steps',
    scope: 'account',
    params: z.object({ dag_run_id: z.string().regex(/^dag_[0-9a-f-]{36}$/, 'is not the id of a plan') }),
    out: DagRunOut,
    errors: [401, 403, 404],
  },
});
