// What an account knows from finished work, and how its agents stand: looked after each night, with the
// receipts that each statement rests on. Nothing of it changes an agent, grants anything or spends beyond the
// daily budget; what it changes of itself can be undone.
import { z } from 'zod';
import { group, svcGroup } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { BRAIN_ARTIFACTS, DISPATCH_STATES, ROUTING_STATES, TEAM_MEMORY_STATES } from '../states.ts';
import { AgentSlug } from '../wire/names.ts';
import { TimeZone } from '../wire/time-zone.ts';
import { TeamPlanIn } from './collective-runtime.ts';

const MemoryId = z.string().regex(/^tmm_[0-9a-f-]{36}$/, 'is not the id of a memory');
const sources = z.array(z.string()).meta({ description: 'Receipts that it rests on. Empty: it has no source.' });

export const BrainRuntimeOut = z
  .strictObject({
    enabled: z.boolean().meta({ description: 'It is looked after each night, and what waits is given to teams.' }),
    daily_hour: z.int().min(0).max(23),
    time_zone: z.string(),
    daily_budget_cents: z.int().meta({ description: 'What teams that start automatically may spend in a day (UTC). 0: none starts.' }),
    last_night: z.string().nullable().meta({ description: 'Day, in the time zone.' }),
  })
  .meta({ id: 'BrainRuntime' });
export type BrainRuntimeOut = z.infer<typeof BrainRuntimeOut>;
export const BrainRuntimeIn = z
  .strictObject({
    enabled: z.boolean().optional(),
    daily_hour: z.int().min(0).max(23).optional(),
    time_zone: TimeZone.optional(),
    daily_budget_cents: z.int().min(0).max(100_000).optional(),
  })
  .meta({ id: 'BrainRuntimeIn' });
export type BrainRuntimeIn = z.infer<typeof BrainRuntimeIn>;

export const StatementOut = z.strictObject({ text: z.string(), sources }).meta({ id: 'BrainStatement' });
export type StatementOut = z.infer<typeof StatementOut>;

export const PopulationOut = z
  .strictObject({
    agents: z.array(
      z.strictObject({
        agent: z.string(),
        own: z.boolean(),
        routing_state: z.enum(ROUTING_STATES),
        reason: z.string(),
        low: z.number(),
        calls: z.int(),
        last_call: Instant.nullable(),
        sources,
      }),
    ),
    roles: z.array(z.strictObject({ protocol: z.string(), role: z.string(), agents: z.int() })).meta({ description: 'How many of them could do each role.' }),
  })
  .meta({ id: 'BrainPopulation' });
export type PopulationOut = z.infer<typeof PopulationOut>;

export const SelectionOut = z
  .strictObject({
    proposals: z.array(
      z.strictObject({
        agent: z.string(),
        proposal: z.enum(['keep', 'improve', 'retire']),
        reason: z.string(),
        sources,
      }),
    ),
  })
  .meta({ id: 'BrainSelection', description: 'Only proposals: they change nothing.' });
export type SelectionOut = z.infer<typeof SelectionOut>;

export const ChangeOut = z
  .strictObject({
    change_id: z.string(),
    kind: z.enum(['merged', 'aged']),
    memory_id: z.string(),
    text: z.string().meta({ description: 'Text of the memory.' }),
    reason: z.string(),
    created_at: Instant,
    undone_at: Instant.nullable(),
  })
  .meta({ id: 'BrainChange' });
export type ChangeOut = z.infer<typeof ChangeOut>;

export const AgingOut = z.strictObject({ changes: z.array(ChangeOut) }).meta({ id: 'BrainAging' });
export type AgingOut = z.infer<typeof AgingOut>;
export const DreamOut = z
  .strictObject({
    looked_at: z.int(),
    changes: z.array(ChangeOut),
    contradictions: z.array(z.strictObject({ one: MemoryId, other: MemoryId, about: z.string() })).meta({ description: 'Left to a person.' }),
  })
  .meta({ id: 'BrainDream' });
export type DreamOut = z.infer<typeof DreamOut>;
export const TownhallOut = z
  .strictObject({
    since: Instant,
    sections: z.array(z.strictObject({ title: z.string(), statements: z.array(StatementOut) })),
  })
  .meta({ id: 'BrainTownhall', description: 'Minutes: what was done and learnt, how agents stand, what waits for a person.' });
export type TownhallOut = z.infer<typeof TownhallOut>;

const made = { artifact_id: z.string(), created_at: Instant };
export const BrainArtifactOut = z
  .strictObject({ ...made, kind: z.enum(BRAIN_ARTIFACTS), content: z.record(z.string(), z.unknown()) })
  .meta({ id: 'BrainArtifact' });
export type BrainArtifactOut = z.infer<typeof BrainArtifactOut>;

export const DispatchOut = z
  .strictObject({
    dispatch_id: z.string(),
    goal: z.string(),
    protocol: z.string(),
    state: z.enum(DISPATCH_STATES),
    reason: z.string().nullable(),
    dag_run_id: z.string().nullable().meta({ description: 'The run of the team that got it.' }),
    created_at: Instant,
    started_at: Instant.nullable(),
  })
  .meta({ id: 'BrainDispatch' });
export type DispatchOut = z.infer<typeof DispatchOut>;

export const BrainStatusOut = z
  .strictObject({
    runtime: BrainRuntimeOut,
    memories: z.record(z.enum(TEAM_MEMORY_STATES), z.int()),
    without_source: z.int(),
    dispatches: z.record(z.enum(DISPATCH_STATES), z.int()),
    spent_today_micros: z.int().meta({ description: 'Spent today (UTC) by teams that started automatically.' }),
    artifacts: z.array(z.strictObject({ ...made, kind: z.enum(BRAIN_ARTIFACTS) })).meta({ description: 'The newest of each kind.' }),
    changes: z.array(ChangeOut).meta({ description: 'The newest.' }),
  })
  .meta({ id: 'BrainStatus' });
export type BrainStatusOut = z.infer<typeof BrainStatusOut>;

export const FeedbackIn = z
  .union([
    z.strictObject({ agent: AgentSlug, good: z.boolean(), note: z.string().trim().max(1000).default('') }).meta({ id: 'BrainAgentFeedback' }),
    z.strictObject({ memory_id: MemoryId, good: z.boolean(), note: z.string().trim().max(1000).default('') }).meta({ id: 'BrainMemoryFeedback' }),
  ])
  .meta({
    id: 'BrainFeedbackIn',
    description: 'For an agent it counts in its scorecard, as a rating of a trial does. A memory rated as true is current again; one rated as false is stale.',
  });
export type FeedbackIn = z.infer<typeof FeedbackIn>;

const read = [401, 403] as const;
const at = '/v1/me/company-brain';

export const companyBrain = group({
  status: { at: `GET ${at}`, summary: 'Read its memories, its changes and the waiting work', scope: 'account', out: BrainStatusOut, errors: read },
  runtime: {
    at: `PATCH ${at}/runtime`,
    summary: 'Switch it on or off; members that are not named stay as they are',
    scope: 'account',
    body: BrainRuntimeIn,
    out: BrainRuntimeOut,
    errors: read,
  },
  population: {
    at: `POST ${at}/population`,
    summary: 'List the agents that may get work, with their state and roles',
    scope: 'account',
    out: z.strictObject({ ...made, ...PopulationOut.shape }).meta({ id: 'BrainPopulationOut' }),
    errors: read,
  },
  selection: {
    at: `POST ${at}/selection`,
    summary: 'Propose which of your agents to keep, to improve and to retire',
    scope: 'account',
    body: z.strictObject({ unused_days: z.int().min(7).max(365).default(90) }).meta({ id: 'BrainSelectionIn' }),
    out: z.strictObject({ ...made, ...SelectionOut.shape }).meta({ id: 'BrainSelectionOut' }),
    errors: read,
  },
  aging: {
    at: `POST ${at}/aging`,
    summary: 'Mark memories as stale that were not confirmed for this long',
    scope: 'account',
    body: z.strictObject({ days: z.int().min(1).max(3650).default(180) }).meta({ id: 'BrainAgingIn' }),
    out: z.strictObject({ ...made, ...AgingOut.shape }).meta({ id: 'BrainAgingOut' }),
    errors: read,
  },
  feedback: {
    at: `POST ${at}/feedback`,
    summary: 'Rate an agent as good or bad, or a memory as true or false',
    scope: 'account',
    body: FeedbackIn,
    out: z.strictObject({ feedback_id: z.string() }).meta({ id: 'BrainFeedbackOut' }),
    status: 201,
    errors: [...read, 404],
  },
  dispatches: {
    at: `GET ${at}/dispatches`,
    summary: 'Work that waits for a team, and what became of it, newest first',
    scope: 'account',
    query: pageQuery(50, 200),
    out: z.strictObject({ items: z.array(DispatchOut), next_cursor: nextCursor }),
    errors: [400, ...read],
  },
  dispatch: {
    at: `POST ${at}/dispatches`,
    summary: 'Put work aside for a team',
    scope: 'account',
    body: TeamPlanIn,
    out: DispatchOut,
    status: 201,
    errors: [...read, 409],
  },
  runOnce: {
    at: `POST ${at}/dispatches/run-once`,
    summary: 'Plan teams for the oldest that wait, and start them within the daily budget',
    description: 'Work of high risk, or for which no team is found, needs a user: plan it with the collective runtime.',
    scope: 'account',
    body: z.strictObject({ limit: z.int().min(1).max(10).default(3) }).meta({ id: 'BrainRunOnceIn' }),
    out: z.strictObject({ items: z.array(DispatchOut) }).meta({ id: 'BrainRunOnceOut' }),
    errors: read,
  },
  dream: {
    at: `POST ${at}/dream-loop/run-once`,
    summary: 'Merge duplicates, list contradictions and age what is stale, each with its reason',
    scope: 'account',
    out: z.strictObject({ ...made, ...DreamOut.shape }).meta({ id: 'BrainDreamOut' }),
    errors: read,
  },
  townhall: {
    at: `POST ${at}/townhall`,
    summary: 'Write the minutes of what was done and learnt since the last ones',
    scope: 'account',
    out: z.strictObject({ ...made, ...TownhallOut.shape }).meta({ id: 'BrainTownhallOut' }),
    errors: read,
  },
  artifacts: {
    at: `GET ${at}/artifacts/{kind}`,
    summary: 'List stored findings, newest first',
    scope: 'account',
    params: z.object({ kind: z.enum(BRAIN_ARTIFACTS) }),
    query: pageQuery(20, 100),
    out: z.strictObject({ items: z.array(BrainArtifactOut), next_cursor: nextCursor }),
    errors: [400, 401, 403],
  },
});

export const brainChanges = svcGroup({
  undoChange: {
    at: `POST ${at}/changes/{change_id}/undo`,
    summary: 'Take a change of a memory back',
    scope: 'account',
    params: z.object({ change_id: z.string().regex(/^bch_[0-9a-f-]{36}$/, 'is not the id of a change') }),
    out: ChangeOut,
    errors: [...read, 404],
  },
});
