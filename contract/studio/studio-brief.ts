// The brief of a user, the plan for it, and the state of the studio run.
import { z } from 'zod';
import { Fault, Instant } from '../shared.ts';
import { JOB_STATES, STUDIO_CHECKS, STUDIO_WRITERS, STUDIO_DECISIONS, STUDIO_RECIPES, STUDIO_REVIEWS, STUDIO_STATES } from '../states.ts';
import { AgentName, AgentSlug } from '../wire/names.ts';

const jsonObject = z.record(z.string().max(64), z.unknown());
/** Of the inputs of a brief, as JSON. */
const MAX_INPUTS_LENGTH = 262_144;
export const MAX_STUDIO_CALLS = 12;
export const STUDIO_SECONDS = 3_600;
export const PLAN_SECONDS = 900;

export const StudioBrief = z
  .strictObject({
    name: AgentName.meta({ description: 'Name of the agent to make.' }),
    goal: z.string().trim().min(12).max(800),
    inputs: jsonObject
      .refine((value) => JSON.stringify(value).length <= MAX_INPUTS_LENGTH, `are longer than ${MAX_INPUTS_LENGTH} characters as JSON`)
      .default({})
      .meta({ description: 'The inputs of the recipe; each recipe lists its own (resolve).' }),
    integrations: z
      .array(z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'use the name of a secret, e.g. "SLACK_WEBHOOK_URL"'))
      .max(10)
      .default([])
      .meta({ description: 'Names of secrets that the agent needs. You set their values when the agent exists; the studio never sees them.' }),
    frontend: z.boolean().default(false).meta({ description: 'Whether the agent gets a page that calls its first skill.' }),
    budget_cents: z.int().min(100).max(3000).default(500).meta({ description: 'The most that language models may cost in a run of this brief.' }),
    public: z.literal(false, 'A person publishes an agent, once it is there').default(false),
    recipe: z.enum(STUDIO_RECIPES).optional().meta({ description: 'Absent: the one that fits the goal best.' }),
    review: z.enum(STUDIO_REVIEWS).default('standard').meta({
      description:
        'light: the rules for source. standard: and a challenge of the live agent, one round. strict: and three rounds, and a model reads the source where one is given.',
    }),
    iterations: z.int().min(0).max(5).default(3).meta({ description: 'How often a model may mend what checks or reviews refuse.' }),
    account_trial_calls: z
      .boolean()
      .default(true)
      .meta({ description: `The agent is called with samples once it is live, in your account; ${MAX_STUDIO_CALLS} calls at most.` }),
    model: z
      .strictObject({ credential: z.string().max(64).optional(), model: z.string().max(200).optional() })
      .optional()
      .meta({ id: 'StudioModel', description: 'A language model of the account writes and mends source. Absent: none does, and nothing is spent.' }),
  })
  .meta({
    id: 'StudioBrief',
    examples: [{ name: 'harbour-watch', goal: 'Tell me when the harbour page stops answering', inputs: { url: 'https://harbour.example/' } }],
  });
export type StudioBrief = z.output<typeof StudioBrief>;

const share = (description: string) => z.number().min(0).max(1).meta({ description });
export const StudioCandidate = z
  .strictObject({
    decision: z.enum(STUDIO_DECISIONS),
    agents: z.array(z.string()).meta({ description: 'One; the parts of a composition; none for build_new.' }),
    skills: z.array(z.string()).meta({ description: 'The best fitting skill of each of the agents.' }),
    own: z.boolean(),
    fit: share('Of the words of the goal, those that the agents and their skills say.'),
    inputs_fit: share('Of the arguments that must be given, those that the inputs of the brief have; 1 where none must.'),
    trust: share('Low end of the interval of its scorecard; 0 where nothing is known.'),
    price_micros: z.int().min(0).nullable().meta({ description: 'Micro-credits of one call; null: it depends on the call.' }),
    reason: z.string(),
  })
  .meta({ id: 'StudioCandidate' });
export type StudioCandidate = z.infer<typeof StudioCandidate>;

export const StudioPlanOut = z
  .strictObject({
    plan_id: z.string(),
    brief_sha256: z.string().meta({ description: 'Hash of the brief in canonical JSON (RFC 8785): a run of this plan takes only this brief.' }),
    decision: z.enum(STUDIO_DECISIONS),
    reason: z.string(),
    candidates: z.array(StudioCandidate).meta({ description: 'Best first. The last one is build_new.' }),
    recipes: z.array(
      z.strictObject({
        recipe: z.enum(STUDIO_RECIPES),
        title: z.string(),
        fit: share('0: nothing speaks for it; towards 1 the more words and inputs do.'),
        missing: z.array(z.string()).meta({ description: 'Inputs that it needs and the brief does not have, or has otherwise.' }),
        inputs: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of what it is filled from.' }),
      }),
    ),
    model: z.string().nullable().meta({ description: 'The language model that would write; null: none was asked for.' }),
    created_at: Instant,
    expires_at: Instant,
  })
  .meta({ id: 'StudioPlanOut', description: 'It does not change. Nothing is built, deployed or called for it.' });
export type StudioPlanOut = z.infer<typeof StudioPlanOut>;

export const StudioRunIn = z
  .strictObject({
    brief: StudioBrief,
    plan_id: z.string().max(64).optional().meta({ description: 'Plan of resolve. Absent: the brief is resolved now.' }),
    decision: z.enum(STUDIO_DECISIONS).optional().meta({ description: 'Absent: that of the plan.' }),
    agents: z.array(AgentSlug).min(1).max(8).optional().meta({ description: 'To compose of, to fork or to edit; absent: those of the plan.' }),
  })
  .meta({ id: 'StudioRunIn' });
export type StudioRunIn = z.output<typeof StudioRunIn>;

export const StudioIterationOut = z
  .strictObject({
    number: z.int().min(0),
    commit: z.string().meta({ description: 'On the branch studio-<run> of the source of the agent.' }),
    written_by: z.enum(STUDIO_WRITERS),
    checks: z.enum(STUDIO_CHECKS).nullable().meta({ description: 'Its build, its types and its own tests, in a machine without secrets; null: not yet.' }),
    message: z.string().nullable().meta({ description: 'What was refused.' }),
    findings: z.array(z.strictObject({ severity: z.string(), rule: z.string(), path: z.string().nullable(), title: z.string() })),
    created_at: Instant,
  })
  .meta({ id: 'StudioIterationOut' });
export type StudioIterationOut = z.infer<typeof StudioIterationOut>;

export const StudioTrialOut = z
  .strictObject({
    skill: z.string(),
    run_id: z.string(),
    state: z.enum(JOB_STATES),
    good: z.boolean().nullable().meta({ description: 'It answered, and its answer is of the shape that is expected; null: not yet.' }),
    reason: z.string().nullable(),
    receipt_id: z.string().nullable(),
  })
  .meta({ id: 'StudioTrialOut' });
export type StudioTrialOut = z.infer<typeof StudioTrialOut>;

export const StudioRunOut = z
  .strictObject({
    run_id: z.string(),
    job_id: z.string().nullable(),
    plan_id: z.string(),
    name: z.string(),
    goal: z.string(),
    state: z.enum(STUDIO_STATES),
    decision: z.enum(STUDIO_DECISIONS),
    agents: z.array(z.string()).meta({ description: 'Agents that it is made of.' }),
    recipe: z.enum(STUDIO_RECIPES).nullable(),
    model: z.string().nullable(),
    review: z.enum(STUDIO_REVIEWS),
    iterations: z.array(StudioIterationOut),
    deploy_id: z.string().nullable(),
    url: z.string().nullable(),
    trials: z.array(StudioTrialOut),
    challenge_job_id: z.string().nullable().meta({ description: 'Job of the review loop that challenges it.' }),
    calls: z.strictObject({ made: z.int(), most: z.int() }),
    spent_micros: z.int().min(0).meta({ description: 'Micro-dollars of language models so far.' }),
    budget_micros: z.int(),
    next: z.array(z.string()).meta({ description: 'What is left for you to do, such as setting secrets or publishing.' }),
    error: Fault.nullable().meta({ description: 'Why it is partial or failed.' }),
    created_at: Instant,
    deadline_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'StudioRunOut' });
export type StudioRunOut = z.infer<typeof StudioRunOut>;

/** A brief without an account: no model, no money, nothing fetched from an address. */
export const GuestBrief = StudioBrief.pick({ name: true, goal: true, inputs: true, integrations: true, frontend: true, recipe: true }).meta({
  id: 'StudioGuestBrief',
});
export type GuestBrief = z.output<typeof GuestBrief>;

export const GuestRunOut = z
  .strictObject({
    brief: GuestBrief,
    recipe: z.enum(STUDIO_RECIPES),
    files: z.array(z.strictObject({ path: z.string(), content: z.string() })).meta({ description: 'The written source. None of it was run.' }),
    claimed: z.boolean(),
    created_at: Instant,
    expires_at: Instant.meta({ description: 'Then it is gone.' }),
  })
  .meta({ id: 'StudioGuestRunOut' });
export type GuestRunOut = z.infer<typeof GuestRunOut>;

export const GuestToken = z.string().regex(/^sgr_[A-Za-z0-9_-]{43}$/, 'is not the token of a guest run');
export const GuestRunCreatedOut = GuestRunOut.extend({
  token: GuestToken.meta({ description: 'Shows it and claims it; it is not shown again.' }),
}).meta({ id: 'StudioGuestRunCreatedOut' });
export type GuestRunCreatedOut = z.infer<typeof GuestRunCreatedOut>;

export const GuestClaimIn = z
  .strictObject({
    token: GuestToken,
    name: AgentName.optional().meta({ description: 'Where the name of the brief is taken.' }),
  })
  .meta({ id: 'StudioGuestClaimIn' });
export type GuestClaimIn = z.infer<typeof GuestClaimIn>;

export const StudioRunParams = z.object({ run_id: z.string().regex(/^std_[0-9a-f-]{36}$/, 'is not a run of the studio') });
