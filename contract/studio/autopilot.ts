// A daily look at the agents of an account, which changes nothing: what it finds becomes a proposal, and a
// person decides.
import { z } from 'zod';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { FINDING_SEVERITIES, PROPOSAL_CATEGORIES, PROPOSAL_STATES } from '../states.ts';
import { AgentSlug } from '../wire/names.ts';
import { TimeZone } from '../wire/time-zone.ts';
import { StudioBrief } from './studio-brief.ts';

export const AutopilotOut = z
  .strictObject({
    enabled: z.boolean(),
    daily_hour: z.int().min(0).max(23),
    time_zone: z.string(),
    last_day: z.string().nullable().meta({ description: 'Day of the last look, in the time zone.' }),
    open_proposals: z.int().min(0),
  })
  .meta({ id: 'AutopilotOut' });
export type AutopilotOut = z.infer<typeof AutopilotOut>;

export const AutopilotIn = z
  .strictObject({
    enabled: z.boolean().default(false),
    daily_hour: z.int().min(0).max(23).default(9),
    time_zone: TimeZone.default('UTC'),
  })
  .meta({ id: 'AutopilotIn' });
export type AutopilotIn = z.output<typeof AutopilotIn>;

export const ProposalId = z.string().regex(/^prp_[0-9a-f-]{36}$/, 'is not the id of a proposal');
export const ProposalOut = z
  .strictObject({
    proposal_id: z.string(),
    agent: z.string(),
    state: z.enum(PROPOSAL_STATES),
    severity: z.enum(FINDING_SEVERITIES),
    category: z.enum(PROPOSAL_CATEGORIES),
    title: z.string(),
    idea: z.string().meta({ description: 'What to do.' }),
    rationale: z.string().meta({ description: 'Why, with the figures.' }),
    evidence: z.array(
      z.strictObject({
        kind: z.enum(['receipt', 'run', 'finding', 'deployment', 'advisory', 'figure']),
        id: z.string().nullable(),
        text: z.string(),
      }),
    ),
    source_head_sha: z.string().nullable().meta({ description: 'The newest commit of its source when it was proposed.' }),
    run_id: z.string().nullable().meta({ description: 'Run of the studio that carries it out.' }),
    reason: z.string().nullable().meta({ description: 'What the person said.' }),
    created_at: Instant,
    expires_at: Instant,
    decided_at: Instant.nullable(),
  })
  .meta({ id: 'ProposalOut' });
export type ProposalOut = z.infer<typeof ProposalOut>;
export const ProposalListOut = z.strictObject({ items: z.array(ProposalOut), next_cursor: nextCursor }).meta({ id: 'ProposalListOut' });

export const proposalQuery = pageQuery(50, 200).extend({
  state: z.enum([...PROPOSAL_STATES, 'all']).default('open'),
  agent: AgentSlug.optional(),
});

export const ProposalDecisionIn = z
  .strictObject({
    decision: z.enum(['accept', 'reject']),
    reason: z.string().trim().max(2000).default(''),
    carry_out: z
      .strictObject({ budget_cents: StudioBrief.shape.budget_cents, review: StudioBrief.shape.review, model: StudioBrief.shape.model.unwrap() })
      .optional()
      .meta({
        id: 'ProposalCarryOut',
        description: 'With accept: a run of the studio edits the agent, by a language model of the account. Absent: you do it yourself.',
      }),
  })
  .refine(({ decision, carry_out }) => decision === 'accept' || carry_out === undefined, { path: ['carry_out'], message: 'goes with accept' })
  .meta({ id: 'ProposalDecisionIn', examples: [{ decision: 'accept', reason: 'It is asked for every day.' }] });
export type ProposalDecisionIn = z.output<typeof ProposalDecisionIn>;

export const AutopilotRunOut = z
  .strictObject({
    looked_at: z.int().meta({ description: 'Agents.' }),
    created: z.array(ProposalOut),
    expired: z.int().meta({ description: 'Proposals that expired, or whose cause is gone.' }),
  })
  .meta({ id: 'AutopilotRunOut' });
export type AutopilotRunOut = z.infer<typeof AutopilotRunOut>;
