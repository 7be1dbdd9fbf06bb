// Teams of agents for goals that are too large for one: protocols as data, a plan that is frozen before it
// runs, gates for a person, scorecards, memories.
import { z } from 'zod';
import { group } from '../kit.ts';
import { DagRunOut } from '../conversation/dag-runs.ts';
import { JobState } from '../runs/work-ledger.ts';
import { Instant, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { BUDGET_CLASSES, RISKS, ROUTING_STATES, TEAM_MEMORY_KINDS, TEAM_MEMORY_STATES } from '../states.ts';
import { PathPattern } from '../wire/grant.ts';
import { AgentSlug, SkillName } from '../wire/names.ts';
import { TEAM_EVIDENCE, TEAM_PROTOCOL_NAMES } from './team-protocols.ts';

const jsonObject = z.record(z.string(), z.unknown());
const share = z.number().min(0).max(1);
const MAX_INPUTS = 65_536;
const protocol = z.enum(TEAM_PROTOCOL_NAMES);

const TeamProtocolOut = z
  .strictObject({
    protocol,
    title: z.string(),
    about: z.string(),
    roles: z.array(z.strictObject({ role: z.string(), about: z.string(), at_least: z.int(), at_most: z.int(), apart: z.boolean() })),
    steps: z.array(
      z.strictObject({
        step: z.string(),
        role: z.string(),
        after: z.array(z.string()),
        each: z.boolean(),
        may_fail: z.boolean(),
        gate: z.enum(RISKS).nullable().meta({ description: 'A person opens it, from this risk on.' }),
      }),
    ),
    required_evidence: z.array(z.enum(TEAM_EVIDENCE)),
    budget_class: z.enum(BUDGET_CLASSES),
    budget_cents: z.int(),
  })
  .meta({ id: 'TeamProtocol' });
type TeamProtocolOut = z.infer<typeof TeamProtocolOut>;

export const ScorecardOut = z
  .strictObject({
    agent: z.string(),
    mean: share,
    low: share.meta({ description: 'With a probability of 95 % it is not below.' }),
    high: share,
    weight: z.number().meta({ description: 'Weighted count of what it rests on; it halves every 60 days.' }),
    calls: z.int().meta({ description: 'Calls of your account that have a receipt.' }),
    proofs: z.strictObject({ passed: z.int(), failed: z.int() }),
    trials: z.strictObject({ count: z.int(), mean: share.nullable() }),
    ratings: z.strictObject({ count: z.int(), mean: share.nullable() }),
    routing_state: z.enum(ROUTING_STATES),
    reason: z.string().meta({ description: 'Why it has that routing state.' }),
  })
  .meta({ id: 'Scorecard', description: 'From calls of your account, published proofs, and your own trials and ratings.' });
export type ScorecardOut = z.infer<typeof ScorecardOut>;

export const RegistryEntryOut = z
  .strictObject({
    agent: z.string(),
    own: z.boolean(),
    description: z.string(),
    skills: z.array(z.string()),
    routing_state: z.enum(ROUTING_STATES),
    reason: z.string(),
    mean: share,
    low: share,
  })
  .meta({ id: 'TeamRegistryEntry' });
export type RegistryEntryOut = z.infer<typeof RegistryEntryOut>;

export const TeamPlanIn = z
  .strictObject({
    goal: trimmedText(4000),
    protocol: protocol.default('single_agent_task'),
    inputs: jsonObject
      .default({})
      .refine((value) => JSON.stringify(value).length <= MAX_INPUTS, `are longer than ${MAX_INPUTS} characters as JSON`)
      .meta({ description: 'What the task needs. `items`, a list, is divided among mappers.' }),
    input_paths: z.array(PathPattern).max(50).default([]).meta({ description: 'Your files that members may read.' }),
    risk: z.enum(RISKS).default('medium').meta({ description: 'high: of other accounts only trusted agents, and every gate.' }),
    budget_class: z.enum(BUDGET_CLASSES).optional().meta({ description: "Absent: the protocol's." }),
    max_agents: z.int().min(1).max(12).default(5),
    members: z
      .array(z.strictObject({ role: z.string().max(40), agent: AgentSlug, skill: SkillName.optional() }))
      .max(12)
      .default([])
      .meta({ description: 'The chosen members; the others are found.' }),
  })
  .meta({ id: 'TeamPlanIn', examples: [{ goal: 'Summarize the news of the week', protocol: 'single_agent_task' }] });
export type TeamPlanIn = z.output<typeof TeamPlanIn>;

export const TeamMemberOut = z
  .strictObject({
    role: z.string(),
    agent: z.string(),
    skill: z.string(),
    deploy_id: z.string(),
    own: z.boolean(),
    fit: share.meta({ description: 'How many of the words of the role and the goal its skill has.' }),
    low: share,
    routing_state: z.enum(ROUTING_STATES),
    chosen: z.boolean().meta({ description: 'You named it.' }),
    others: z.array(z.strictObject({ agent: z.string(), skill: z.string() })).meta({ description: 'They take its place when it fails, in this order.' }),
    reason: z.string(),
  })
  .meta({ id: 'TeamMember' });
export type TeamMemberOut = z.infer<typeof TeamMemberOut>;

export const TeamPlanOut = z
  .strictObject({
    plan_id: z.string(),
    digest: z.string().meta({ description: 'SHA-256 of the whole plan. What starts is what was planned, or nothing.' }),
    protocol,
    goal: z.string(),
    members: z.array(TeamMemberOut),
    missing: z.array(z.string()).meta({ description: 'Roles for which no agent was found: the plan cannot be started.' }),
    nodes: z.array(
      z.strictObject({ number: z.int(), step: z.string(), role: z.string(), agent: z.string(), skill: z.string(), depends_on: z.array(z.int()), gate: z.boolean(), may_fail: z.boolean() }), // prettier-ignore
    ),
    budget_cents: z.int(),
    replans: z.int().meta({ description: 'How often a member may be replaced.' }),
    required_evidence: z.array(z.enum(TEAM_EVIDENCE)),
    expires_at: Instant,
  })
  .meta({ id: 'TeamPlan', description: 'Frozen: it does not change. Nothing has been called.' });
export type TeamPlanOut = z.infer<typeof TeamPlanOut>;

const runBase = {
  dag_run_id: z.string(),
  plan_id: z.string(),
  protocol,
  goal: z.string(),
  state: JobState,
  job_id: z.string().meta({ description: 'Its events and its cancelling are those of the job.' }),
  created_at: Instant,
  ended_at: Instant.nullable(),
};
export const TeamRunSummary = z.strictObject(runBase).meta({ id: 'TeamRunSummary' });
export type TeamRunSummary = z.infer<typeof TeamRunSummary>;
export const TeamRunOut = z
  .strictObject({
    ...runBase,
    budget_cents: z.int(),
    spent_micros: z.int(),
    replans_left: z.int(),
    gates: z.array(z.strictObject({ number: z.int(), step: z.string(), wait_id: z.string() })).meta({ description: 'Those that wait for you.' }),
    evidence: z.array(z.strictObject({ evidence: z.enum(TEAM_EVIDENCE), met: z.boolean(), about: z.string() })),
    roles: z.array(z.strictObject({ number: z.int(), step: z.string(), role: z.string(), attempt: z.int() })),
    plan: DagRunOut,
  })
  .meta({ id: 'TeamRun' });
export type TeamRunOut = z.infer<typeof TeamRunOut>;

export const TeamMemoryOut = z
  .strictObject({
    memory_id: z.string(),
    dag_run_id: z.string().nullable(),
    kind: z.enum(TEAM_MEMORY_KINDS),
    about: z.string().meta({ description: 'The goal.' }),
    text: z.string(),
    sources: z.array(z.string()).meta({ description: 'Receipts that it rests on. Empty: it has no source.' }),
    state: z.enum(TEAM_MEMORY_STATES),
    reason: z.string().nullable().meta({ description: 'Why it is not current.' }),
    created_at: Instant,
  })
  .meta({ id: 'TeamMemory' });
export type TeamMemoryOut = z.infer<typeof TeamMemoryOut>;

export const CollectiveOut = z
  .strictObject({
    protocols: z.int(),
    agents: z.record(z.enum(ROUTING_STATES), z.int()).meta({ description: 'Agents of the registry, by routing state.' }),
    runs: z.strictObject({ all: z.int(), open: z.int(), waiting: z.int().meta({ description: 'With a gate that waits for you.' }) }),
    memories: z.int(),
  })
  .meta({ id: 'CollectiveRuntime' });
export type CollectiveOut = z.infer<typeof CollectiveOut>;

const RunParams = z.object({ dag_run_id: z.string().regex(/^dag_[0-9a-f-]{36}$/, 'is not the id of a run') });
const read = [401, 403] as const;

export const collectiveRuntime = group({
  overview: {
    at: 'GET /v1/me/collective-runtime',
    summary: 'Protocols, agents, runs and memories in numbers',
    scope: 'account',
    out: CollectiveOut,
    errors: read,
  },
  protocols: {
    at: 'GET /v1/me/collective-runtime/protocols',
    summary: 'List team protocols: roles, steps, gates, required results',
    scope: 'account',
    out: z.strictObject({ items: z.array(TeamProtocolOut) }),
    errors: read,
  },
  registry: {
    at: 'GET /v1/me/collective-runtime/registry',
    summary: 'Agents that work may go to: your own, installed ones, and those you have called',
    scope: 'account',
    query: pageQuery(50, 200, ['m']),
    out: z.strictObject({ items: z.array(RegistryEntryOut), next_cursor: nextCursor }),
    errors: [400, ...read],
  },
  scorecards: {
    at: 'GET /v1/me/collective-runtime/scorecards',
    summary: 'List the scorecards of agents, with their uncertainty',
    scope: 'account',
    query: pageQuery(50, 200, ['m']),
    out: z.strictObject({ items: z.array(ScorecardOut), next_cursor: nextCursor }),
    errors: [400, ...read],
  },
  plan: {
    at: 'POST /v1/me/collective-runtime/plan',
    summary: 'Pick a team for a goal and freeze its steps; nothing is called',
    description: 'A plan can be started for an hour.',
    scope: 'account',
    body: TeamPlanIn,
    out: TeamPlanOut,
    status: 201,
    errors: [...read, 404, 409],
  },
  runs: {
    at: 'GET /v1/me/collective-runtime/runs',
    summary: 'Runs of teams, newest first',
    scope: 'account',
    query: pageQuery(50, 200),
    out: z.strictObject({ items: z.array(TeamRunSummary), next_cursor: nextCursor }),
    errors: [400, ...read],
  },
  start: {
    at: 'POST /v1/me/collective-runtime/runs',
    summary: 'Start a planned team, once',
    scope: 'account',
    body: z.strictObject({ plan_id: z.string().regex(/^tpl_[0-9a-f-]{36}$/, 'is not the id of a plan') }).meta({ id: 'TeamRunIn' }),
    out: TeamRunOut,
    status: 202,
    errors: [...read, 404, 409],
  },
  run: {
    at: 'GET /v1/me/collective-runtime/runs/{dag_run_id}',
    summary: 'One run of a team: steps, gates, spending, evidence',
    scope: 'account',
    params: RunParams,
    out: TeamRunOut,
    errors: [...read, 404],
  },
  advance: {
    at: 'POST /v1/me/collective-runtime/runs/{dag_run_id}/advance',
    summary: 'Start the ready steps now instead of waiting for the platform to start them',
    scope: 'account',
    params: RunParams,
    out: TeamRunOut,
    errors: [...read, 404],
  },
  approve: {
    at: 'POST /v1/me/collective-runtime/runs/{dag_run_id}/approve',
    summary: 'Open the gates that wait, or deny them',
    scope: 'account',
    params: RunParams,
    body: z
      .strictObject({
        number: z.int().min(1).max(64).optional().meta({ description: 'Number of the step; absent: every gate that waits.' }),
        decision: z.enum(['approve', 'deny']).default('approve'),
        reason: z.string().trim().max(1000).default(''),
      })
      .meta({ id: 'TeamApprovalIn' }),
    out: TeamRunOut,
    errors: [...read, 404, 409, 410, 503],
  },
  memories: {
    at: 'GET /v1/me/collective-runtime/memories',
    summary: 'List lessons of finished work, newest first',
    scope: 'account',
    query: pageQuery(50, 200),
    out: z.strictObject({ items: z.array(TeamMemoryOut), next_cursor: nextCursor }),
    errors: [400, ...read],
  },
  extract: {
    at: 'POST /v1/me/collective-runtime/memories/extract',
    summary: 'Keep what a run that has ended taught, with its receipts',
    description: 'Rules list the result of each step and each failure. The default model of the account, if there is one, adds lessons. Once for each run.',
    scope: 'account',
    body: z.strictObject({ dag_run_id: RunParams.shape.dag_run_id }).meta({ id: 'TeamExtractIn' }),
    out: z.strictObject({ items: z.array(TeamMemoryOut) }).meta({ id: 'TeamMemoriesOut' }),
    errors: [...read, 404, 409],
  },
});
