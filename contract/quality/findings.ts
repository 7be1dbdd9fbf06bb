// What challenges, rehearsals and reviews found in an agent. A critical one that is open keeps the agent from
// being promoted until its owner has answered it.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { AgentParams, Instant, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { FINDING_ANSWERS, FINDING_SEVERITIES, FINDING_SOURCES, FINDING_STATES } from '../states.ts';

const jsonObject = z.record(z.string(), z.unknown());

/**
 * Calls that show a finding. In texts of the arguments, `⟦given⟧` and `⟦private⟧` stand for two folders of a
 * disposable scope: the grant shows only the first.
 */
const ReproductionOut = z
  .strictObject({
    skill: z.string(),
    attack: z.string(),
    calls: z.array(
      z.strictObject({
        args: jsonObject.meta({ description: 'Long texts are cut.' }),
        grant: z.string().meta({ description: 'given: of the disposable folder; none; forged, expired, revoked, foreign: one that must be refused.' }),
      }),
    ),
    parallel: z.boolean(),
  })
  .meta({ id: 'FindingReproduction' });

export const FindingOut = z
  .strictObject({
    finding_id: z.string(),
    agent: z.string(),
    source: z.enum(FINDING_SOURCES),
    deploy_id: z.string().meta({ description: 'The version it was found in.' }),
    version: z.string().nullable(),
    job_id: z.string().nullable(),
    hash: z.string(),
    severity: z.enum(FINDING_SEVERITIES),
    rule: z.string(),
    skill: z.string().nullable(),
    title: z.string(),
    message: z.string(),
    reproduction: ReproductionOut.nullable(),
    confirmed: z
      .boolean()
      .meta({ description: 'It showed again when its calls were made again, or a rule reads it in the source. What is not confirmed freezes nothing.' }),
    freezes: z.boolean().meta({ description: 'It keeps the agent from being promoted: critical, confirmed, open.' }),
    state: z.enum(FINDING_STATES),
    answer: z.enum(FINDING_ANSWERS).nullable(),
    reason: z.string().nullable(),
    answered_by: z.enum(['owner', 'platform']).nullable().meta({ description: 'platform: a new version no longer has it.' }),
    answered_at: Instant.nullable(),
    created_at: Instant,
  })
  .meta({ id: 'FindingOut' });
export type FindingOut = z.infer<typeof FindingOut>;

export const FindingListOut = z
  .strictObject({
    frozen_by: z.string().nullable().meta({ description: 'The finding that keeps the agent from being promoted; null: none does.' }),
    items: z.array(FindingOut),
    next_cursor: nextCursor,
  })
  .meta({ id: 'FindingListOut' });

export const FindingAnswerIn = z
  .strictObject({
    answer: z.enum(FINDING_ANSWERS).meta({
      description: 'fixed: its calls are made again at the live version, and it is refused while they still show it · accepted · false_alarm',
    }),
    reason: trimmedText(2000).meta({ description: 'Why. It stays beside the finding.' }),
  })
  .meta({ id: 'FindingAnswerIn' });
export type FindingAnswerIn = z.infer<typeof FindingAnswerIn>;

const FindingId = z.string().regex(/^fnd_[0-9a-f-]{36}$/, 'is not the id of a finding');

/** Only for the owner of the agent. */
export const findings = svcGroup({
  list: {
    at: 'GET /v1/agents/{name}/findings',
    summary: 'List the findings in an agent, newest first',
    scope: 'account',
    params: AgentParams,
    query: pageQuery(50, 200, ['m']).extend({ state: z.enum(['all', 'open']).default('all'), severity: z.enum(FINDING_SEVERITIES).optional() }),
    out: FindingListOut,
    errors: [400, 401, 403, 404],
  },
  answer: {
    at: 'POST /v1/agents/{name}/findings/{finding_id}/answer',
    summary: 'Answer a finding; a critical one freezes promotion until then',
    scope: 'account',
    params: AgentParams.extend({ finding_id: FindingId }),
    body: FindingAnswerIn,
    out: FindingOut,
    errors: [401, 403, 404, 409],
  },
});
