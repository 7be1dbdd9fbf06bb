// Reviews: what rules find in the source and the card of a deployed version. They never hold up a deploy.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Fault, Instant } from '../shared.ts';
import { FINDING_SEVERITIES, REVIEW_STATES } from '../states.ts';

const ReviewState = z.enum(REVIEW_STATES).meta({ id: 'ReviewState' });

/** Of one review; the rest is counted in the summary. */
export const MAX_FINDINGS = 200;

export const ReviewFindingOut = z
  .strictObject({
    hash: z.string().meta({ description: 'The same as long as severity, rule, path, title and message are, wherever the line moves; SHA-256, hexadecimal.' }),
    severity: z.enum(FINDING_SEVERITIES),
    rule: z
      .string()
      .meta({ description: 'Names the rule: `svc-accept: <rule> <why>` in a comment on the line, or the line before, accepts what it finds there.' }),
    path: z.string().nullable().meta({ description: 'File of the project; null: the finding is about the card.' }),
    line: z.int().min(1).nullable(),
    title: z.string(),
    message: z.string().meta({ description: 'What is wrong and what to do. A secret is never in it.' }),
    accepted: z.string().nullable().meta({ description: 'The reason for which a user accepted it. An accepted finding does not count.' }),
  })
  .meta({ id: 'ReviewFindingOut' });
export type ReviewFindingOut = z.infer<typeof ReviewFindingOut>;

export const ReviewRunOut = z
  .strictObject({
    review_id: z.string(),
    agent: z.string(),
    deploy_id: z.string(),
    job_id: z.string().nullable().meta({ description: 'null: it was skipped.' }),
    ref: z.string().nullable().meta({ description: 'The commit that was read.' }),
    status: ReviewState.meta({ description: 'failed: at least one critical finding. errored: no verdict. skipped: the operator has switched reviews off.' }),
    summary: z.string(),
    findings: z.array(ReviewFindingOut).max(MAX_FINDINGS).meta({ description: 'Critical ones first.' }),
    critical_count: z.int().min(0),
    warning_count: z.int().min(0),
    info_count: z.int().min(0),
    error: Fault.nullable(),
    elapsed_ms: z.int().min(0).nullable(),
    created_at: Instant,
    started_at: Instant.nullable(),
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'ReviewRunOut' });

const ReviewId = z.string().regex(/^rev_[0-9a-f-]{36}$/, 'is not a review id');

export const reviewRuns = group({
  reviewRuns: {
    at: 'GET /v1/agents/{name}/review-runs',
    summary: 'Reviews of what was deployed, newest first',
    description: 'The platform reviews each version when it goes live.',
    scope: 'authenticated',
    params: AgentParams,
    query: z.object({ limit: z.int().min(1).max(100).default(20) }),
    out: z.array(ReviewRunOut),
    errors: [401, 403, 404],
  },
  latestReviewRun: {
    at: 'GET /v1/agents/{name}/review-runs/latest',
    summary: 'The newest review',
    scope: 'authenticated',
    params: AgentParams,
    out: ReviewRunOut,
    errors: [401, 403, 404],
  },
  reviewRun: {
    at: 'GET /v1/agents/{name}/review-runs/{review_id}',
    summary: 'One review',
    scope: 'authenticated',
    params: AgentParams.extend({ review_id: ReviewId }),
    out: ReviewRunOut,
    errors: [401, 403, 404],
  },
});
