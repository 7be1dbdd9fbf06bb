// How good the runs of an agent are: rules that score them, what people say of them, and datasets of examples
// that a version is checked against.
import { z } from 'zod';
import { RunId } from '../runs/runs.ts';
import { svcGroup } from '../kit.ts';
import { AgentParams, Fault, Instant, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { EVALUATION_STATES, RESULT_STATES } from '../states.ts';
import { AgentSlug, SkillName } from '../wire/names.ts';

const NAME = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const Name = z.string().regex(new RegExp(`^${NAME}$`), 'use lower-case letters, digits and inner hyphens, 63 at most, e.g. "short-answers"');
const jsonObject = z.record(z.string(), z.unknown());
const share = z.number().min(0).max(1);
const pointer = z
  .string()
  .max(500)
  .regex(/^(?:\/(?:[^~]|~[01])*)?$/, 'use a JSON Pointer such as "/answer/text"')
  .default('')
  .meta({ description: 'JSON Pointer (RFC 6901) into the result; empty: all of it.' });

/** What a rule looks at. */
export const EvaluationCheck = z
  .discriminatedUnion('kind', [
    z
      .strictObject({ kind: z.literal('schema'), schema: jsonObject.meta({ description: 'JSON Schema that the result must fit.' }) })
      .meta({ id: 'SchemaCheck' }),
    z
      .strictObject({
        kind: z.literal('matches'),
        pattern: z
          .string()
          .min(1)
          .max(1000)
          .meta({ description: 'Regular expression of JavaScript, with the flag u. It looks at a text, or at JSON of anything else.' }),
        pointer,
        absent: z.boolean().default(false).meta({ description: 'The pattern must not be found.' }),
      })
      .meta({ id: 'MatchesCheck' }),
    z
      .strictObject({
        kind: z.literal('latency'),
        max_ms: z.int().min(1).max(86_400_000).meta({ description: 'Without the time that a run waited for people.' }),
      })
      .meta({ id: 'LatencyCheck' }),
    z
      .strictObject({
        kind: z.literal('cost'),
        max_micros: z.int().min(0).max(2_000_000_000).meta({ description: 'Micro-dollars of all models that the run asked.' }),
      })
      .meta({ id: 'CostCheck' }),
    z.strictObject({ kind: z.literal('thumb') }),
    z.strictObject({
      kind: z.literal('judge'),
      instructions: trimmedText(4000).meta({
        description: 'What a good result is. A language model reads it, the arguments and the result, and gives 0 to 1.',
      }),
      pass_from: share.default(0.5),
      credential: z.string().max(64).optional().meta({ description: "Name of a model credential of the agent's owner; default: their default one." }),
      model: z.string().max(200).optional(),
      per_day: z.int().min(1).max(10_000).default(100).meta({ description: 'Runs that it may judge in a day (UTC).' }),
    }),
  ])
  .meta({ id: 'EvaluationCheck' });
export type EvaluationCheck = z.infer<typeof EvaluationCheck>;

export const EvaluationRuleIn = z
  .strictObject({
    check: EvaluationCheck,
    skills: z.array(SkillName).max(50).default([]).meta({ description: 'Empty: all skills.' }),
    sample: share.default(1).meta({ description: 'Share of the runs that are scored. The same run is always in or out.' }),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'EvaluationRuleIn' });
export type EvaluationRuleIn = z.infer<typeof EvaluationRuleIn>;

export const EvaluationRuleOut = z.strictObject({ rule: z.string(), ...EvaluationRuleIn.shape, updated_at: Instant }).meta({ id: 'EvaluationRuleOut' });
export type EvaluationRuleOut = z.infer<typeof EvaluationRuleOut>;

export const ScoreOut = z
  .strictObject({
    rule: z.string(),
    passed: z.boolean().nullable().meta({ description: 'null: a model has yet to judge it, or could not.' }),
    score: share.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'ScoreOut' });
export type ScoreOut = z.infer<typeof ScoreOut>;

const RuleShare = z
  .strictObject({
    rule: z.string(),
    scored: z.int().min(0),
    passed: z.int().min(0),
    average: share.nullable(),
    failed_runs: z.array(z.string()).meta({ description: 'Some that did not pass, newest first.' }),
  })
  .meta({ id: 'RuleShare' });
export const EvaluationSummaryOut = z
  .strictObject({
    days: z.int(),
    versions: z.array(
      z.strictObject({
        deploy_id: z.string(),
        number: z.int(),
        version: z.string().nullable(),
        live: z.boolean(),
        rules: z.array(RuleShare),
        thumbs: z.strictObject({ up: z.int(), down: z.int() }),
      }),
    ),
  })
  .meta({ id: 'EvaluationSummaryOut', description: 'Newest version first.' });
export type EvaluationSummaryOut = z.infer<typeof EvaluationSummaryOut>;

const Thumb = z.strictObject({ up: z.boolean(), comment: z.string().max(2000).default('') });
export const RunScoresOut = z
  .strictObject({ run_id: z.string(), scores: z.array(ScoreOut), thumb: Thumb.nullable() })
  .meta({ id: 'RunScoresOut', description: 'Empty until the run was looked at, half a minute after its end.' });
export type RunScoresOut = z.infer<typeof RunScoresOut>;
const ThumbIn = Thumb.meta({ id: 'ThumbIn' });

export const MAX_DATASETS = 50;
export const MAX_ITEMS = 1000;
export const MAX_ITEM_BYTES = 65_536;
const expected = z.unknown().optional().meta({ description: 'The right result. Absent: only the rules decide.' });
export const DatasetItemIn = z
  .union([
    z.strictObject({ skill: SkillName, args: jsonObject.default({}), expected }).meta({ id: 'DatasetExampleIn' }),
    z
      .strictObject({
        run_id: RunId,
        expect_result: z.boolean().default(false).meta({ description: 'The result of the run is what is right.' }),
      })
      .meta({ id: 'DatasetRunIn' }),
  ])
  .meta({ id: 'DatasetItemIn', description: "An example, or a durable run of the agent: the owner's own, or of a caller who consented." });
export type DatasetItemIn = z.infer<typeof DatasetItemIn>;
const DatasetItemsIn = z.strictObject({ items: z.array(DatasetItemIn).min(1).max(200) }).meta({ id: 'DatasetItemsIn' });
export const DatasetItemOut = z
  .strictObject({ item_id: z.string(), skill: z.string(), args: jsonObject, expected, run_id: z.string().nullable(), created_at: Instant })
  .meta({ id: 'DatasetItemOut' });
export type DatasetItemOut = z.infer<typeof DatasetItemOut>;
export const DatasetOut = z.strictObject({ dataset: z.string(), items: z.int(), created_at: Instant }).meta({ id: 'DatasetOut' });
export type DatasetOut = z.infer<typeof DatasetOut>;

export const EvaluationOut = z
  .strictObject({
    evaluation_id: z.string(),
    dataset: z.string(),
    deploy_id: z.string(),
    version: z.string().nullable(),
    state: z.enum(EVALUATION_STATES),
    items: z.int(),
    done: z.int(),
    passed: z.int().meta({ description: 'Items of which every score passed.' }),
    rules: z.array(z.strictObject({ rule: z.string(), scored: z.int(), passed: z.int() })),
    error: Fault.nullable(),
    created_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'EvaluationOut' });
export type EvaluationOut = z.infer<typeof EvaluationOut>;
export const EvaluationResultOut = z
  .strictObject({
    item_id: z.string(),
    skill: z.string(),
    state: z.enum(RESULT_STATES),
    run_id: z.string().nullable(),
    passed: z.boolean().nullable(),
    scores: z.array(ScoreOut),
    error: Fault.nullable(),
  })
  .meta({ id: 'EvaluationResultOut' });
export type EvaluationResultOut = z.infer<typeof EvaluationResultOut>;
export const EvaluationDetailOut = z.strictObject({ ...EvaluationOut.shape, results: z.array(EvaluationResultOut) }).meta({ id: 'EvaluationDetailOut' });
export type EvaluationDetailOut = z.infer<typeof EvaluationDetailOut>;

const RuleParams = AgentParams.extend({ rule: Name });
const DatasetParams = AgentParams.extend({ dataset: Name });
const EvaluationParams = AgentParams.extend({ evaluation_id: z.string().max(64) });
const read = [401, 403, 404] as const;

/** Only for the owner of the agent, except where a route says otherwise. */
export const evaluations = svcGroup({
  rules: {
    at: 'GET /v1/agents/{name}/evaluation/rules',
    summary: 'The rules that score the runs of an agent',
    scope: 'account',
    params: AgentParams,
    out: z.strictObject({ items: z.array(EvaluationRuleOut) }),
    errors: read,
  },
  putRule: {
    at: 'PUT /v1/agents/{name}/evaluation/rules/{rule}',
    summary: 'Make or change a rule; it scores runs that end from now on',
    scope: 'account',
    params: RuleParams,
    body: EvaluationRuleIn,
    out: EvaluationRuleOut,
    errors: [400, 401, 403, 404, 409],
  },
  deleteRule: {
    at: 'DELETE /v1/agents/{name}/evaluation/rules/{rule}',
    summary: 'Delete a rule with its scores',
    scope: 'account',
    params: RuleParams,
    status: 204,
    errors: read,
  },
  summary: {
    at: 'GET /v1/agents/{name}/evaluation',
    summary: 'Count the runs that passed each rule, by version',
    scope: 'account',
    params: AgentParams,
    query: z.object({ days: z.int().min(1).max(90).default(7) }),
    out: EvaluationSummaryOut,
    errors: read,
  },
  runScores: {
    at: 'GET /v1/agents/{name}/api/runs/{run_id}/scores',
    summary: 'The scores of a run, and what its caller said of it',
    scope: 'account',
    params: AgentParams.extend({ run_id: RunId }),
    out: RunScoresOut,
    errors: read,
  },
  putThumb: {
    at: 'PUT /v1/me/runs/{run_id}/thumb',
    summary: 'Rate a run of yours as good or bad; the owner of its agent sees it',
    scope: 'account',
    params: z.object({ run_id: RunId }),
    body: ThumbIn,
    status: 204,
    errors: read,
  },
  deleteThumb: {
    at: 'DELETE /v1/me/runs/{run_id}/thumb',
    summary: 'Take back what you said of a run',
    scope: 'account',
    params: z.object({ run_id: RunId }),
    status: 204,
    errors: read,
  },
  consents: {
    at: 'GET /v1/me/evaluation-consents',
    summary: 'The agents whose owners may keep your runs as examples',
    scope: 'account',
    out: z.strictObject({ items: z.array(z.strictObject({ agent: z.string(), created_at: Instant })) }),
    errors: [401, 403],
  },
  consent: {
    at: 'PUT /v1/me/evaluation-consents/{agent}',
    summary: 'Let the owner of an agent keep your runs of it as examples',
    scope: 'account',
    params: z.object({ agent: AgentSlug }),
    status: 204,
    errors: read,
  },
  withdrawConsent: {
    at: 'DELETE /v1/me/evaluation-consents/{agent}',
    summary: 'Take the consent back; what was kept of your runs is deleted',
    description: 'Also from an agent that you can no longer see. 204 as well where there was none.',
    scope: 'account',
    params: z.object({ agent: AgentSlug }),
    status: 204,
    errors: [401, 403],
  },
  datasets: {
    at: 'GET /v1/agents/{name}/datasets',
    summary: 'The datasets of an agent',
    scope: 'account',
    params: AgentParams,
    out: z.strictObject({ items: z.array(DatasetOut) }),
    errors: read,
  },
  addItems: {
    at: 'POST /v1/agents/{name}/datasets/{dataset}/items',
    summary: 'Add examples; the first ones make the dataset',
    scope: 'account',
    params: DatasetParams,
    body: DatasetItemsIn,
    bodyBytes: 4 * 1024 * 1024,
    status: 201,
    out: z.strictObject({ items: z.array(DatasetItemOut) }),
    errors: [400, 401, 403, 404, 409, 413],
  },
  items: {
    at: 'GET /v1/agents/{name}/datasets/{dataset}/items',
    summary: 'The examples of a dataset, oldest first',
    scope: 'account',
    params: DatasetParams,
    query: pageQuery(50, 200, ['m']),
    out: z.strictObject({ items: z.array(DatasetItemOut), next_cursor: nextCursor }),
    errors: [400, 401, 403, 404],
  },
  deleteItem: {
    at: 'DELETE /v1/agents/{name}/datasets/{dataset}/items/{item_id}',
    summary: 'Delete an example',
    scope: 'account',
    params: DatasetParams.extend({ item_id: z.string().max(64) }),
    status: 204,
    errors: read,
  },
  deleteDataset: {
    at: 'DELETE /v1/agents/{name}/datasets/{dataset}',
    summary: 'Delete a dataset; evaluations of it are kept',
    scope: 'account',
    params: DatasetParams,
    status: 204,
    errors: read,
  },
  evaluate: {
    at: 'POST /v1/agents/{name}/datasets/{dataset}/evaluations',
    summary: 'Run every example on the live version, as durable runs of yours, and score them',
    scope: 'account',
    params: DatasetParams,
    status: 202,
    out: EvaluationOut,
    errors: [401, 403, 404, 409],
  },
  evaluations: {
    at: 'GET /v1/agents/{name}/evaluations',
    summary: 'The last hundred evaluations of an agent, newest first',
    scope: 'account',
    params: AgentParams,
    query: z.object({ dataset: Name.optional() }),
    out: z.strictObject({ items: z.array(EvaluationOut) }),
    errors: read,
  },
  evaluation: {
    at: 'GET /v1/agents/{name}/evaluations/{evaluation_id}',
    summary: 'One evaluation with the result of each example',
    scope: 'account',
    params: EvaluationParams,
    out: EvaluationDetailOut,
    errors: read,
  },
  cancelEvaluation: {
    at: 'POST /v1/agents/{name}/evaluations/{evaluation_id}/cancel',
    summary: 'Cancel an evaluation: no further example starts, running ones finish',
    scope: 'account',
    params: EvaluationParams,
    out: EvaluationOut,
    errors: [401, 403, 404, 409],
  },
});
