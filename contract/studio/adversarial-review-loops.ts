// Challenges of a running agent: generated calls that try to make it misbehave, within limits of rounds,
// money and time. They change nothing.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Fault, Instant, MAX_INT32, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { FINDING_SEVERITIES, JOB_STATES, REVIEW_LOOP_EVENTS } from '../states.ts';
import { AgentSlug, SkillName } from '../wire/names.ts';
import { FindingOut } from '../quality/findings.ts';

const jsonObject = z.record(z.string(), z.unknown());
/** Of one loop: events that reviewers post, and findings among them. */
export const MAX_POSTED_EVENTS = 200;
const MAX_POSTED_FINDINGS = 20;
const MAX_EVENT_BYTES = 65_536;

export const ReviewLoopIn = z
  .strictObject({
    skills: z.array(SkillName).max(20).default([]).meta({
      description:
        'Skills to call. Empty: all skills of the card except those declared destructive. Calls are real: name only skills whose effects you accept.',
    }),
    dry: z.array(SkillName).max(20).default([]).meta({ description: 'Skills for which calls are generated and shown, and none is made.' }),
    iterations: z.int().min(1).max(10).default(3).meta({ description: 'Rounds; each tries other inputs.' }),
    budget_cents: z.int().min(0).max(100_000).default(500).meta({ description: 'For language models: of the agent, of the reviewer and of the loop itself.' }),
    deadline_seconds: z.int().min(30).max(7200).default(900),
    reviewer: AgentSlug.optional().meta({ description: 'An agent that reads the card and the findings and adds its own.' }),
    reviewer_skill: SkillName.default('review'),
    model: z.boolean().default(true).meta({ description: "Let the owner's language model propose calls, where they have one." }),
    seed: z.int().min(0).max(MAX_INT32).optional().meta({ description: 'The same seed makes the same calls; default: by chance.' }),
  })
  .meta({ id: 'ReviewLoopIn' });
export type ReviewLoopIn = z.infer<typeof ReviewLoopIn>;

const facts = {
  job_id: z.string(),
  agent: z.string(),
  deploy_id: z.string().meta({ description: 'The version that is challenged.' }),
  version: z.string().nullable(),
  state: z.enum(JOB_STATES),
  skills: z.array(z.string()),
  dry: z.array(z.string()),
  iterations: z.int(),
  iteration: z.int().meta({ description: 'The round it is in; 0: not begun.' }),
  seed: z.int(),
  budget_cents: z.int(),
  spent_micros: z.int().min(0).meta({ description: 'Micro-dollars of language models so far.' }),
  deadline_at: Instant,
  reviewer: z.string().nullable(),
  model: z
    .string()
    .nullable()
    .meta({ description: 'The language model that proposes calls; null: none is set, or it was not wanted. One finds calls that generators do not think of.' }),
  probes: z.strictObject({ planned: z.int(), done: z.int() }),
  findings: z.strictObject({ critical: z.int(), warning: z.int(), info: z.int() }).meta({ description: 'Findings of this loop.' }),
  error: Fault.nullable(),
  created_at: Instant,
  ended_at: Instant.nullable(),
};
export const ReviewLoopOut = z.strictObject(facts).meta({ id: 'ReviewLoopOut' });
export type ReviewLoopOut = z.infer<typeof ReviewLoopOut>;

export const ReviewLoopDetailOut = z
  .strictObject({
    ...facts,
    probes_by_attack: z.array(
      z
        .strictObject({ attack: z.string(), skill: z.string(), planned: z.int(), done: z.int(), calls: z.int(), findings: z.int() })
        .meta({ id: 'ReviewProbes' }),
    ),
    shown: z.array(FindingOut).meta({ description: 'The findings it showed, critical ones first; at most 200.' }),
  })
  .meta({ id: 'ReviewLoopDetailOut' });
export type ReviewLoopDetailOut = z.infer<typeof ReviewLoopDetailOut>;
export const ReviewLoopListOut = z.strictObject({ items: z.array(ReviewLoopOut), next_cursor: nextCursor }).meta({ id: 'ReviewLoopListOut' });

/**
 * A finding as reported by a reviewer. It is confirmed when the platform has made its calls and observed the
 * same.
 */
export const PostedFinding = z
  .strictObject({
    severity: z.enum(FINDING_SEVERITIES),
    rule: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'use lower-case letters, digits and hyphens, e.g. "path-escape"'),
    skill: SkillName.optional(),
    title: trimmedText(200),
    message: trimmedText(4000),
    reproduction: z.strictObject({ skill: SkillName, args: jsonObject }).optional().meta({ description: 'A call that shows it.' }),
  })
  .meta({ id: 'PostedFinding' });
export type PostedFinding = z.infer<typeof PostedFinding>;

export const PostedProposal = z
  .strictObject({
    finding_id: z.string().max(64).meta({ description: 'A finding of this agent.' }),
    summary: trimmedText(4000),
    patch: z.string().max(32_768).optional().meta({ description: 'A change of the source, as text. Only the owner can apply it.' }),
  })
  .meta({ id: 'PostedProposal' });

/** What each event carries. */
export const POSTED = {
  reviewer_started: z.strictObject({ message: z.string().max(2000).default('') }),
  finding_emitted: z.strictObject({ findings: z.array(PostedFinding).min(1).max(MAX_POSTED_FINDINGS) }),
  fix_proposed: z.strictObject({ proposal: PostedProposal }),
  loop_completed: z.strictObject({ summary: z.string().max(4000).default('') }),
  loop_failed: z.strictObject({ summary: z.string().max(4000).default('') }),
} as const;

const ReviewLoopEventIn = z
  .strictObject({
    event: z.enum(REVIEW_LOOP_EVENTS),
    payload: jsonObject
      .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= MAX_EVENT_BYTES, `is larger than ${MAX_EVENT_BYTES} bytes as JSON`)
      .default({})
      .meta({
        description:
          'reviewer_started {message} · finding_emitted {findings: [PostedFinding]} · fix_proposed {proposal: PostedProposal} · loop_completed {summary} · loop_failed {summary}. What claims the right to apply a change is refused.',
      }),
  })
  .meta({ id: 'ReviewLoopEventIn' });

export const ReviewLoopEventOut = z
  .strictObject({ event: z.string(), seq: z.int().meta({ description: 'Number of its event in the job.' }), finding_ids: z.array(z.string()) })
  .meta({ id: 'ReviewLoopEventOut' });
export type ReviewLoopEventOut = z.infer<typeof ReviewLoopEventOut>;

const one = AgentParams.extend({ job_id: z.string().regex(/^job_[0-9a-f-]{36}$/, 'is not a job id') });

/**
 * Only for the owner of the agent; the loop's reviewer may post events, with the credential of the run that
 * the loop began.
 */
export const adversarialReviewLoops = group({
  list: {
    at: 'GET /v1/agents/{name}/review-loops',
    summary: 'Challenges of an agent, newest first',
    scope: 'authenticated',
    params: AgentParams,
    query: pageQuery(20, 100, ['m']),
    out: ReviewLoopListOut,
    errors: [400, 401, 403, 404],
  },
  create: {
    at: 'POST /v1/agents/{name}/review-loops',
    summary: 'Challenge the live version of an agent',
    description:
      'Calls the named skills as the owner, with generated arguments and a disposable scope of files and memory. The calls are real; nothing is deployed, published or changed. Its events are those of the job.',
    scope: 'authenticated',
    params: AgentParams,
    body: ReviewLoopIn,
    out: ReviewLoopOut,
    status: 202,
    errors: [401, 403, 404, 409],
  },
  get: {
    at: 'GET /v1/agents/{name}/review-loops/{job_id}',
    summary: 'One challenge with what it tried and found',
    scope: 'authenticated',
    params: one,
    out: ReviewLoopDetailOut,
    errors: [401, 403, 404],
  },
  event: {
    at: 'POST /v1/agents/{name}/review-loops/{job_id}/events',
    summary: 'Report as a reviewer: findings, proposed fixes, the end of the review',
    scope: 'authenticated',
    runs: true,
    params: one,
    body: ReviewLoopEventIn,
    out: ReviewLoopEventOut,
    status: 201,
    errors: [401, 403, 404, 409],
  },
  stop: {
    at: 'POST /v1/agents/{name}/review-loops/{job_id}/stop',
    summary: 'Stop a challenge; its findings stay',
    scope: 'authenticated',
    params: one,
    out: ReviewLoopOut,
    errors: [401, 403, 404, 409],
  },
});
