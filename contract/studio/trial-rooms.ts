// Trial rooms: one task, several agents side by side, each under a grant and limits of its own. Their answers
// are scored by rule, rated by people, and one is selected.
import { z } from 'zod';
import { group } from '../kit.ts';
import { EvaluationCheck } from '../quality/evaluations.ts';
import { JobState } from '../runs/work-ledger.ts';
import { Fault, Instant, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { RESULT_STATES, TRIAL_ROOM_STATES, TRIAL_TRIGGERS, TRIAL_VERDICTS } from '../states.ts';
import { PathPattern } from '../wire/grant.ts';
import { AgentSlug, SkillName } from '../wire/names.ts';

const SLUG = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const TrialSlug = z.string().regex(new RegExp(`^${SLUG}$`), 'use lower-case letters, digits and inner hyphens, 63 at most, e.g. "invoice-reader"');
const TrialRunId = z.string().regex(/^trl_[0-9a-f-]{36}$/, 'is not a run of a trial room');
const jsonObject = z.record(z.string(), z.unknown());
export const MAX_TRIAL_CASES = 100;
export const MAX_TRIAL_RUNS = 100;
/** Of a case's inputs, and of an answer that is kept, as JSON. */
export const MAX_TRIAL_JSON = 65_536;
const small = (value: unknown): boolean => JSON.stringify(value ?? null).length <= MAX_TRIAL_JSON;

const [schemaCheck, matchesCheck, latencyCheck, costCheck] = EvaluationCheck.def.options;
export const TrialCriterion = z
  .strictObject({
    text: trimmedText(500).meta({
      description: 'What a good answer is. Without a check, the default model of the account judges it; without a model, people do.',
    }),
    check: z.discriminatedUnion('kind', [schemaCheck, matchesCheck, latencyCheck, costCheck]).optional(),
  })
  .meta({ id: 'TrialCriterion' });
export type TrialCriterion = z.infer<typeof TrialCriterion>;

export const TrialCase = z
  .strictObject({
    name: trimmedText(100).optional(),
    inputs: jsonObject.default({}).refine(small, `are longer than ${MAX_TRIAL_JSON} characters as JSON`),
    expected: z.unknown().optional().meta({ description: 'The answer that is right.' }),
    facts: z.array(trimmedText(200)).max(20).default([]).meta({ description: 'Words that the answer must contain, in any case and spacing.' }),
  })
  .meta({ id: 'TrialCase' });
export type TrialCase = z.infer<typeof TrialCase>;

export const TrialRoomIn = z
  .strictObject({
    title: trimmedText(120),
    slug: TrialSlug.optional().meta({ description: 'Its name in addresses; absent: made from the title.' }),
    goal: trimmedText(4000),
    acceptance_criteria: z.array(TrialCriterion).max(20).default([]),
    input_paths: z.array(PathPattern).max(50).default([]).meta({ description: 'Your files that contestants may read.' }),
    output_schema: jsonObject.optional().meta({ description: 'JSON Schema that an answer must fit.' }),
    cases: z
      .array(TrialCase)
      .min(1)
      .max(MAX_TRIAL_CASES)
      .optional()
      .meta({ description: 'Each contestant answers every case. Absent, and without a dataset: one case without inputs.' }),
    dataset: z
      .strictObject({ agent: AgentSlug, dataset: trimmedText(63), skill: SkillName.optional() })
      .optional()
      .meta({ id: 'TrialDataset', description: 'Examples of an agent of yours become the cases, as they are now.' }),
    max_cost_cents: z.int().min(0).max(10_000).default(100).meta({ description: 'What models may cost for one contestant, over all cases.' }),
    max_runtime_seconds: z.int().min(30).max(3600).default(300).meta({ description: 'Limit of one case.' }),
    blind: z
      .boolean()
      .default(true)
      .meta({ description: 'The identity of contestants stays hidden until you have rated every run that ended, or one is selected.' }),
    on_deploy: z
      .boolean()
      .default(false)
      .meta({ description: 'A new version of a contestant of yours runs when it becomes live, and is compared with the version before.' }),
  })
  .refine(({ cases, dataset }) => cases === undefined || dataset === undefined, { path: ['dataset'], message: 'give either cases or a dataset' })
  .meta({
    id: 'TrialRoomIn',
    examples: [{ title: 'Invoice reader', goal: 'Read the total of an invoice', cases: [{ inputs: { text: 'Total: 12.50 EUR' }, facts: ['12.5'] }] }],
  });
export type TrialRoomIn = z.output<typeof TrialRoomIn>;

const AgentContestant = z
  .strictObject({
    agent: AgentSlug.meta({ description: 'Hosted or imported.' }),
    skill: SkillName.optional().meta({ description: 'Absent: its only skill.' }),
    map: z
      .record(z.string(), z.string().regex(/^\/(?:goal|files|inputs)(?:\/|$)/, 'use a JSON Pointer such as "/inputs/text", "/goal" or "/files"'))
      .optional()
      .meta({ description: 'Where each argument comes from. Absent: inputs by their names, and the goal in an argument for it.' }),
  })
  .meta({ id: 'TrialAgentContestant' });
const ModelContestant = z
  .strictObject({
    model: z.strictObject({ credential: z.string().max(64).optional(), model: z.string().max(200).optional() }).meta({ id: 'TrialModel' }),
  })
  .meta({
    id: 'TrialModelContestant',
    description: 'A language model of the account without an agent, as a baseline. Absent members: the default credential and its model.',
  });
export const TrialContestant = z.union([AgentContestant, ModelContestant]).meta({ id: 'TrialContestant' });
export type TrialContestant = z.infer<typeof TrialContestant>;
const TrialRunsIn = z
  .strictObject({ contestants: z.array(TrialContestant).min(1).max(12) })
  .meta({ id: 'TrialRunsIn', examples: [{ contestants: [{ agent: 'invoice-reader' }, { model: {} }] }] });
type TrialRunsIn = z.infer<typeof TrialRunsIn>;

export const TrialPart = z
  .strictObject({
    part: z.enum(['schema', 'expected', 'facts', 'criteria', 'cost', 'time']),
    weight: z.int(),
    score: z.number().min(0).max(1).nullable().meta({ description: 'null: it could not be computed, and does not count.' }),
    reason: z.string().nullable(),
  })
  .meta({ id: 'TrialPart' });
export type TrialPart = z.infer<typeof TrialPart>;

const milli = (description: string) => z.int().meta({ description: `${description}, thousandths of a point.` });
const Interval = z
  .strictObject({ mean: milli('The mean over the cases'), low: milli('Low end'), high: milli('High end') })
  .meta({ id: 'TrialInterval', description: 'With a probability of 95 % by bootstrap over the cases; of one case it has no width.' });

const TrialResultOut = z
  .strictObject({
    case: z.int().min(1),
    name: z.string().nullable(),
    state: z.enum(RESULT_STATES),
    score: milli('0 to 100,000').nullable(),
    parts: z.array(TrialPart),
    output: z.unknown().meta({ description: `The answer; null where it is longer than ${MAX_TRIAL_JSON} characters as JSON.` }),
    error: Fault.nullable(),
    run_id: z.string().nullable().meta({ description: 'The run that answered; null of a model, and while contestants are hidden.' }),
    receipt_id: z.string().nullable(),
    cost_micros: z.int().nullable(),
    ms: z.int().nullable(),
  })
  .meta({ id: 'TrialResultOut' });
type TrialResultOut = z.infer<typeof TrialResultOut>;

export const TrialContestantOut = z
  .strictObject({
    agent: z.string().nullable(),
    skill: z.string().nullable(),
    deploy_id: z.string().nullable(),
    version: z.string().nullable(),
    credential: z.string().nullable(),
    model: z.string().nullable(),
  })
  .meta({ id: 'TrialContestantOut', description: 'An agent with the version that ran, or a model.' });
export type TrialContestantOut = z.infer<typeof TrialContestantOut>;

export const TrialRunOut = z
  .strictObject({
    run_id: z.string(),
    label: z.string().meta({ description: 'Its name while contestants are hidden.' }),
    contestant: TrialContestantOut.nullable().meta({ description: 'null: hidden.' }),
    trigger: z.enum(TRIAL_TRIGGERS),
    job_id: z.string().nullable().meta({ description: 'Its events and its cancelling are those of the job; null: hidden.' }),
    state: JobState,
    score: Interval.nullable(),
    parts: z.array(z.strictObject({ part: TrialPart.shape.part, mean: z.number().nullable() })).meta({ description: 'Means over the cases.' }),
    cost_micros: z.int().nullable(),
    compared: z
      .strictObject({ run_id: z.string(), gain: Interval, verdict: z.enum(TRIAL_VERDICTS) })
      .nullable()
      .meta({
        id: 'TrialComparison',
        description: 'With the run of the version before, case by case. better and worse: the whole interval lies on one side of 0.',
      }),
    ratings: z
      .strictObject({ count: z.int(), mean: z.number().nullable(), mine: z.strictObject({ score: z.int(), notes: z.string(), blind: z.boolean() }).nullable() })
      .meta({ id: 'TrialRatings' }),
    results: z.array(TrialResultOut),
    error: Fault.nullable(),
    created_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'TrialRunOut' });
export type TrialRunOut = z.infer<typeof TrialRunOut>;

export const TrialRoomSummary = z
  .strictObject({
    slug: z.string(),
    title: z.string(),
    state: z.enum(TRIAL_ROOM_STATES),
    cases: z.int(),
    runs: z.int(),
    on_deploy: z.boolean(),
    created_at: Instant,
    decided_at: Instant.nullable(),
  })
  .meta({ id: 'TrialRoomSummary' });
export type TrialRoomSummary = z.infer<typeof TrialRoomSummary>;

export const TrialDecision = z
  .strictObject({
    run_id: z.string(),
    reason: z.string(),
    at: Instant,
    standing: z.array(z.strictObject({ run_id: z.string(), contestant: TrialContestantOut, score: Interval, rating: z.number().nullable() })),
    lead: Interval.nullable().meta({ description: 'Over the best of the others, case by case; null: there was none.' }),
  })
  .meta({ id: 'TrialDecision', description: 'What was selected and why, with the scores as they were then. It does not change.' });
export type TrialDecision = z.infer<typeof TrialDecision>;

export const TrialRoomOut = z
  .strictObject({
    ...TrialRoomSummary.shape,
    goal: z.string(),
    acceptance_criteria: z.array(TrialCriterion),
    input_paths: z.array(z.string()),
    output_schema: jsonObject.nullable(),
    max_cost_cents: z.int(),
    max_runtime_seconds: z.int(),
    blind: z.boolean(),
    items: z.array(TrialCase).meta({ description: 'The cases.' }),
    contestants: z.array(TrialRunOut).meta({ description: 'Best score first; by label while they are hidden.' }),
    decision: TrialDecision.nullable(),
  })
  .meta({ id: 'TrialRoomOut' });
export type TrialRoomOut = z.infer<typeof TrialRoomOut>;

export const TrialRatingIn = z
  .strictObject({
    score: z.int().min(0).max(100),
    notes: z.string().trim().max(2000).default(''),
  })
  .meta({ id: 'TrialRatingIn' });
export type TrialRatingIn = z.infer<typeof TrialRatingIn>;
const TrialSelectionIn = z.strictObject({ reason: trimmedText(2000) }).meta({ id: 'TrialSelectionIn' });

const RoomParams = z.object({ slug: TrialSlug });
const RunParams = RoomParams.extend({ run_id: TrialRunId });

export const trialRooms = group({
  list: {
    at: 'GET /v1/me/trial-rooms',
    summary: 'Trial rooms of the account, newest first',
    scope: 'account',
    query: pageQuery(50, 200),
    out: z.strictObject({ items: z.array(TrialRoomSummary), next_cursor: nextCursor }),
    errors: [400, 401, 403],
  },
  create: {
    at: 'POST /v1/me/trial-rooms',
    summary: 'Make a trial room: a task, its cases and how answers are scored',
    scope: 'account',
    body: TrialRoomIn,
    out: TrialRoomOut,
    status: 201,
    errors: [400, 401, 403, 404, 409],
  },
  get: {
    at: 'GET /v1/me/trial-rooms/{slug}',
    summary: 'A trial room with its contestants, their answers and scores',
    scope: 'account',
    params: RoomParams,
    out: TrialRoomOut,
    errors: [401, 403, 404],
  },
  run: {
    at: 'POST /v1/me/trial-rooms/{slug}/runs',
    summary: 'Let agents or models answer every case, side by side',
    description: 'A job for each contestant. An agent gets its own grant, only for the files of the room. Repeating the idempotency-key starts no second job.',
    scope: 'account',
    params: RoomParams,
    headers: z.object({ 'idempotency-key': z.string().min(1).max(128).optional().meta({ description: 'A text of your own for each request you mean.' }) }),
    body: TrialRunsIn,
    out: z.strictObject({ items: z.array(TrialRunOut) }).meta({ id: 'TrialRunsOut' }),
    status: 202,
    errors: [400, 401, 403, 404, 409],
  },
  rate: {
    at: 'POST /v1/me/trial-rooms/{slug}/runs/{run_id}/rate',
    summary: 'Rate the answers of a contestant; rating again replaces what you gave',
    scope: 'account',
    params: RunParams,
    body: TrialRatingIn,
    out: TrialRunOut,
    errors: [401, 403, 404, 409],
  },
  select: {
    at: 'POST /v1/me/trial-rooms/{slug}/runs/{run_id}/select',
    summary: 'Select a contestant: the room is decided, with the reason and the scores as they are',
    scope: 'account',
    params: RunParams,
    body: TrialSelectionIn,
    out: TrialRoomOut,
    errors: [401, 403, 404, 409],
  },
});
