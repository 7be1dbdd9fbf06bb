// Every run that an account may see: what it called, what others called of its agents, and its other long
// work. What a plain call took and gave is kept for as long as its account says.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { AgentParams, Fault, Instant, nextCursor, pageQuery } from '../shared.ts';
import { CALL_PURPOSES, JOB_STATES, RUN_CALLERS } from '../states.ts';
import { RunId, TraceId } from './runs.ts';

const Caller = z
  .strictObject({
    kind: z.enum(RUN_CALLERS).meta({
      description:
        'you: the reading account · account: another one · agent: an agent · token: a token of the agent · anonymous · platform: the platform itself',
    }),
    name: z.string().nullable().meta({ description: 'Name of the calling agent; null for all others.' }),
  })
  .meta({ id: 'RunCaller' });

export const RUN_SORTS = ['newest', 'oldest', 'longest', 'costliest'] as const;
export type RunSort = (typeof RUN_SORTS)[number];
const BY_SORT = ['newest', 1_795_000_000_000_000, 'example'];

const Purpose = z.enum(CALL_PURPOSES).nullable().meta({ description: 'Why the platform made the run; null: somebody wanted its answer.' });

export const RunRowOut = z
  .strictObject({
    id: z.string().meta({ description: 'Of the run, of the job where it is other work, or of the grant where an agent only reported its call.' }),
    kind: z.string().meta({ description: 'call: a plain call · run: a durable run · reported: a call past the platform · all other kinds of jobs' }),
    run_id: z.string().nullable(),
    job_id: z.string().nullable().meta({ description: "Null for a plain call, and for another account's run." }),
    plan_id: z.string().nullable().meta({ description: 'Of a plan.' }),
    agent: z.string().nullable(),
    skill: z.string().nullable(),
    title: z.string(),
    version: z.string().nullable().meta({ description: 'Of the agent. Null where no receipt states it yet.' }),
    state: z.enum(JOB_STATES),
    error_code: z.string().nullable(),
    message: z.string().nullable().meta({ description: 'Why it failed, in words, where they are kept.' }),
    caller: Caller,
    purpose: Purpose,
    cost_micros: z.int().min(0).nullable().meta({ description: 'Micro-dollars that its receipt charges; null: it was free, or has not ended.' }),
    created_at: Instant,
    ended_at: Instant.nullable(),
    duration_ms: z.int().min(0).nullable(),
  })
  .meta({ id: 'RunRowOut' });
export type RunRowOut = z.infer<typeof RunRowOut>;

const RunListOut = z.strictObject({ items: z.array(RunRowOut), next_cursor: nextCursor }).meta({ id: 'RunListOut' });

export const RunRecordOut = z
  .strictObject({
    run_id: z.string(),
    agent: z.string(),
    skill: z.string(),
    version: z.string().nullable(),
    yours: z.boolean().meta({ description: 'The run works for the reading account: it may read input and output.' }),
    own_agent: z.boolean().meta({ description: 'The agent belongs to the reading account: it may read its log lines.' }),
    caller: Caller,
    purpose: Purpose,
    job_id: z.string().nullable().meta({ description: 'Of a durable run of the reading account.' }),
    state: z.enum(JOB_STATES),
    error: Fault.nullable(),
    request_id: z.string().nullable().meta({ description: 'Of the request that made the call, where it is kept: log lines name it.' }),
    content: z
      .enum(['kept', 'not_kept', 'too_large', 'not_yours'])
      .meta({ description: 'What became of input and output: kept · not_kept: the account does not keep them, or not for so long · too_large · not_yours' }),
    input: z.unknown().meta({ description: 'null: see content.' }),
    output: z.unknown().meta({ description: 'null: see content.' }),
    text: z.string().meta({ description: 'What it has streamed; the newest 64 KiB.' }),
    progress: z
      .strictObject({ message: z.string(), progress: z.number().nullable(), total: z.number().nullable() })
      .nullable()
      .meta({ description: 'The newest that it reported.' }),
    receipt_id: z.string().nullable(),
    session_id: z.string().nullable().meta({ description: 'Of its signed log, where the reading account may read it.' }),
    grant_id: z.string().nullable().meta({ description: 'Under which an agent called it, for the account that it works for.' }),
    trace_id: TraceId,
    started_at: Instant,
    ended_at: Instant.nullable(),
    duration_ms: z.int().min(0).nullable(),
  })
  .meta({ id: 'RunRecordOut' });
export type RunRecordOut = z.infer<typeof RunRecordOut>;

export const RunLogLineOut = z
  .strictObject({ at: Instant, source: z.literal('agent'), stream: z.enum(['stdout', 'stderr', 'system']), text: z.string() })
  .meta({ id: 'RunLogLineOut' });

const RunLogOut = z
  .strictObject({
    lines: z.array(RunLogLineOut).meta({ description: 'Lines that name the run or the request, oldest first.' }),
    searched: z.int().min(0).meta({ description: 'Machines that were asked. 0: none of that version is left; of a run that failed its lines are kept.' }),
  })
  .meta({ id: 'RunLogOut' });

const Days = z.union([z.literal(0), z.literal(1), z.literal(7), z.literal(30)]).meta({ description: '0: nothing is kept.' });

const ContentKeepingIn = z.strictObject({ days: Days }).meta({ id: 'ContentKeepingIn', examples: [{ days: 7 }] });

const ContentKeeping = z
  .strictObject({ days: Days, kept: z.boolean().meta({ description: 'false: nothing is kept, by the days or by the PII-safe mode.' }) })
  .meta({ id: 'ContentKeeping' });

export const myRuns = svcGroup({
  list: {
    at: 'GET /v1/me/runs',
    summary: 'All runs, calls and other work of the account, and calls of its agents',
    description: "Other accounts' calls of the account's agents are listed without what they took and gave.",
    scope: 'account',
    query: pageQuery(50, 200, BY_SORT).extend({
      search: z.string().trim().max(200).optional().meta({ description: 'Part of the name of an agent or a skill, or of a title; or an id.' }),
      from: Instant.pipe(z.iso.datetime()).optional(),
      until: Instant.pipe(z.iso.datetime()).optional(),
      agent: z.string().max(128).optional(),
      version: z.string().max(128).optional(),
      kind: z.string().max(64).optional(),
      state: z.enum(JOB_STATES).optional(),
      caller: z.enum(RUN_CALLERS).optional(),
      sort: z.enum(RUN_SORTS).default('newest').meta({
        description: 'longest: only what has ended · costliest: only what cost something. A cursor is of one order.',
      }),
      min_cost_micros: z
        .int()
        .min(0)
        .max(2 ** 43)
        .optional()
        .meta({ description: 'Only runs that cost at least so many micro-dollars.' }),
      charged: z.boolean().optional().meta({ description: 'Only runs that cost something.' }),
      probes: z.boolean().default(false).meta({ description: 'With the calls of challenges, and the runs of trials, evaluations, simulations and proofs.' }),
    }),
    out: RunListOut,
    errors: [400, 401, 403],
  },
  get: {
    at: 'GET /v1/me/runs/{run_id}',
    summary: 'One run: what it took and gave, and why it failed',
    description:
      "For the account that the run works for, and for the owner of its agent. The owner reads the error and the times of others' runs, not what they took and gave.",
    scope: 'account',
    params: z.object({ run_id: RunId }),
    out: RunRecordOut,
    errors: [401, 403, 404],
  },
  log: {
    at: 'GET /v1/agents/{name}/log-lines',
    summary: 'Log lines of one run or one request, for the owner of the agent',
    description: 'Lines go with the machine that wrote them; those of a run that failed are kept for as long as its owner keeps contents.',
    scope: 'authenticated',
    params: AgentParams,
    query: z
      .object({
        run_id: RunId.optional(),
        request_id: z
          .string()
          .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'is not a request id')
          .optional(),
        limit: z.int().min(1).max(2000).default(500),
      })
      .refine(({ run_id, request_id }) => (run_id === undefined) !== (request_id === undefined), 'name a run_id or a request_id'),
    out: RunLogOut,
    errors: [401, 403, 404],
  },
  keeping: {
    at: 'GET /v1/me/run-contents',
    summary: "For how many days what the account's plain calls take and give is kept",
    scope: 'account',
    out: ContentKeeping,
    errors: [401, 403],
  },
  keep: {
    at: 'PUT /v1/me/run-contents',
    summary: "Set for how many days what the account's plain calls take and give is kept",
    description: 'With 0 everything that is kept is deleted at once. In the PII-safe mode of the control room nothing is kept. Receipts stay.',
    scope: 'account',
    body: ContentKeepingIn,
    out: ContentKeeping,
    errors: [401, 403],
  },
});
