// The account's control room: what waits, what runs, what was spent, what was done last, and the policy that
// runs are held to.
import { z } from 'zod';
import { group, svcGroup } from '../kit.ts';
import { Instant, MAX_INT32, nextCursor, pageQuery, SequenceNumber } from '../shared.ts';
import { CONTROL_ROOM_SOURCES, POLICY_ACTIONS, DENIAL_OUTCOMES, RUN_STATES } from '../states.ts';
import { WaitCard } from '../pauses/cards.ts';
import { AgentSlug } from '../wire/names.ts';

const MAX_APPROVED_AGENTS = 500;
const MAX_CENTS = 100_000_000;
const MAX_CALLS = 100_000;
const cents = z.int().min(0).max(MAX_CENTS);

const members = {
  monthly_budget_cents: cents.meta({
    description:
      "US cents that the account's model credentials, and its calls of skills with a price, may cost in a calendar month (UTC). Models without a price cost nothing.",
  }),
  run_budget_cents: cents.meta({ description: 'The same in one run, with the runs of all agents that are called in it.' }),
  daily_budget_cents: cents.nullable().meta({ description: 'The same on a day (UTC); null: no budget of the day.' }),
  agent_daily_budget_cents: cents.nullable().meta({ description: 'The same of each agent on a day; null: none.' }),
  person_daily_budget_cents: cents.nullable().meta({ description: "The same of each person who calls the account's agents on a day; null: none." }),
  max_agent_calls_per_run: z
    .int()
    .min(0)
    .max(MAX_CALLS)
    .meta({ description: 'Calls of agents that one run may make, with the calls of the agents that it calls.' }),
  require_approval_for_file_writes: z
    .boolean()
    .meta({ description: "A person approves, once for each run and grant, before a run writes the account's files." }),
  deny_external_network: z.boolean().meta({
    description: "The machines and sandboxes of the account's agents reach the platform, its agents and the operator's internal services, and nothing else.",
  }),
  only_approved_agents: z.boolean().meta({ description: 'Runs may call, and grants may go to, only agents of approved_agents. Own agents are no exception.' }),
  approved_agents: z.array(AgentSlug).max(MAX_APPROVED_AGENTS).meta({ description: 'Names of agents.' }),
  pii_safe_mode: z.boolean().meta({
    description:
      'What plain calls take and give is not kept for scores, spans keep no content, and e-mail addresses, telephone numbers, card numbers and IBANs are taken out of what goes to language models.',
  }),
};

export const ControlRoomPolicy = z.strictObject(members).meta({ id: 'ControlRoomPolicy' });
export type ControlRoomPolicy = z.infer<typeof ControlRoomPolicy>;

/** What a member is where the account has set others and not this one. */
export const DEFAULT_POLICY: ControlRoomPolicy = {
  monthly_budget_cents: 5_000,
  run_budget_cents: 500,
  daily_budget_cents: null,
  agent_daily_budget_cents: null,
  person_daily_budget_cents: null,
  max_agent_calls_per_run: 8,
  require_approval_for_file_writes: false,
  deny_external_network: false,
  only_approved_agents: false,
  approved_agents: [],
  pii_safe_mode: false,
};

export const ControlRoomPolicyIn = z
  .strictObject(members)
  .partial()
  .extend({
    version: SequenceNumber.optional().meta({
      description: 'The version last read: the write is refused where the policy has another version by now. Absent: whatever it is.',
    }),
  })
  .refine((change) => Object.keys(change).some((name) => name !== 'version'), 'name at least one member to change')
  .meta({ id: 'ControlRoomPolicyIn', examples: [{ max_agent_calls_per_run: 4 }] });

export const ControlRoomPolicyOut = z
  .strictObject({
    ...members,
    set: z.boolean().meta({ description: 'False: the account has set nothing; the defaults are shown, and nothing is refused until it sets something.' }),
    version: SequenceNumber.meta({ description: '0: never set. Grows by one with every change.' }),
    sha256: z.string().meta({ description: 'Hash of the policy as canonical JSON; denials and receipts name it.' }),
    changed_at: Instant.nullable(),
    loosened: z.array(z.string()).meta({ description: 'In the answer to a change: members that it made weaker. Otherwise empty.' }),
    machines_pending: z.int().min(0).meta({ description: 'Machines to which the setting for outside access is not yet delivered; delivery takes seconds.' }),
  })
  .meta({ id: 'ControlRoomPolicyOut' });
export type ControlRoomPolicyOut = z.infer<typeof ControlRoomPolicyOut>;

export const PolicyChangeOut = z
  .strictObject({
    at: Instant,
    by: z.string().nullable(),
    version: SequenceNumber,
    changed: z.array(z.strictObject({ member: z.string(), before: z.unknown(), after: z.unknown(), loosened: z.boolean() })),
  })
  .meta({ id: 'PolicyChangeOut' });

export const PolicyDenialOut = z
  .strictObject({
    denial_id: z.string(),
    action: z.enum(POLICY_ACTIONS),
    outcome: z.enum(DENIAL_OUTCOMES).meta({ description: 'Refused, or a person was asked.' }),
    rule: z.string().meta({ description: 'Member of the policy, or the rule that decided.' }),
    resource: z.string().meta({ description: 'Agent, path, host or model.' }),
    message: z.string(),
    agent: z.string().nullable(),
    run_id: z.string().nullable(),
    root_run_id: z.string().nullable(),
    job_id: z.string().nullable(),
    decision_id: z.string().nullable().meta({ description: 'Where a written rule decided.' }),
    policy_sha256: z.string(),
    policy_version: SequenceNumber,
    count: z.int().min(1).max(MAX_INT32).meta({ description: 'How often the run tried the same.' }),
    created_at: Instant,
    last_at: Instant,
  })
  .meta({ id: 'PolicyDenialOut' });
export type PolicyDenialOut = z.infer<typeof PolicyDenialOut>;

const Budget = z
  .strictObject({
    cap: z.enum(['month', 'day', 'agent_day', 'person_day', 'run']),
    of: z.string().nullable().meta({ description: 'The agent, person or run; null: the account.' }),
    limit_micros: z.int().min(0).nullable().meta({ description: 'Millionths of a US dollar; null: no such budget is in force.' }),
    spent_micros: z.int().min(0),
    reserved_micros: z.int().min(0).meta({ description: 'Reserved for calls of models and of priced skills under way, at most.' }),
  })
  .meta({ id: 'ControlRoomBudget' });

const Spent = z.strictObject({ key: z.string().nullable(), cost_micros: z.int().min(0), calls: z.int().min(0) }).meta({ id: 'ControlRoomSpent' });

export const LiveRunOut = z
  .strictObject({
    run_id: z.string(),
    root_run_id: z.string(),
    agent: z.string(),
    skill: z.string(),
    state: z.enum(RUN_STATES),
    job_id: z.string().nullable().meta({ description: 'Its events: GET /v1/me/jobs/{job_id}/events/stream.' }),
    started_at: Instant,
    agent_calls: z.int().min(0).meta({ description: 'Calls of agents counted in its chain so far.' }),
  })
  .meta({ id: 'LiveRunOut' });

export const ControlRoomLineOut = z
  .strictObject({
    source: z
      .enum(CONTROL_ROOM_SOURCES)
      .meta({ description: 'receipt: signed by the platform; meta_run: what an agent noted of a goal; subagent_run: a call between agents under a grant.' }),
    item_id: z.string(),
    agent: z.string(),
    title: z.string(),
    status: z.string(),
    signed: z.boolean(),
    run_id: z.string().nullable(),
    receipt_id: z.string().nullable(),
    denials: z.int().min(0).meta({ description: 'Lines of the policy in it.' }),
    at: Instant,
  })
  .meta({ id: 'ControlRoomLineOut' });

export const ControlRoomReceiptOut = z
  .strictObject({
    ...ControlRoomLineOut.shape,
    skill: z.string().nullable(),
    caller: z.string().nullable(),
    job_id: z.string().nullable(),
    grant_id: z.string().nullable(),
    started_at: Instant,
    ended_at: Instant.nullable(),
    duration_ms: z.int().min(0).nullable(),
    cost_micros: z.int().min(0).meta({ description: 'What it cost the account: its model credentials, and the charge of the call.' }),
    token: z.string().nullable().meta({ description: 'A signed receipt: base64url(payload).base64url(signature), Ed25519.' }),
    policy: z.array(PolicyDenialOut).meta({ description: "What the account's policy refused in it, or asked a person about." }),
    facts: z.record(z.string(), z.unknown()).meta({ description: 'As its source has it, without content, tokens or secrets.' }),
  })
  .meta({ id: 'ControlRoomReceiptOut' });

export const ControlRoomOut = z
  .strictObject({
    at: Instant,
    policy: ControlRoomPolicyOut,
    waits: z.strictObject({ items: z.array(WaitCard), more: z.boolean() }),
    runs: z.strictObject({ items: z.array(LiveRunOut), more: z.boolean() }),
    spend: z.strictObject({
      month: z.string().meta({ description: 'YYYY-MM, UTC.' }),
      cost_micros: z.int().min(0),
      charged_micros: z.int().min(0).meta({ description: 'Part for calls of skills with a price.' }),
      reserved_micros: z.int().min(0),
      unpriced_calls: z.int().min(0),
      budgets: z.array(Budget),
      by_agent: z.array(Spent),
      by_person: z.array(Spent),
      by_run: z.array(Spent),
    }),
    receipts: z.array(ControlRoomLineOut).meta({ description: 'The latest of all sources, newest first.' }),
    denials: z.array(PolicyDenialOut).meta({ description: 'The latest.' }),
    changes: z.array(PolicyChangeOut).meta({ description: 'The latest changes of the policy, newest first.' }),
  })
  .meta({ id: 'ControlRoomOut' });
export type ControlRoomOut = z.infer<typeof ControlRoomOut>;

export const controlRoom = group({
  get: {
    at: 'GET /v1/me/control-room',
    summary: 'Read pending decisions, running work, spending, last actions and the policy',
    description: 'Lists show the first of each; the full ones are /v1/me/waits, /v1/me/activity, /v1/me/llm-usage and /v1/me/policy/denials.',
    scope: 'account',
    query: z.object({ receipts: z.int().min(0).max(100).default(20), denials: z.int().min(0).max(100).default(20) }),
    out: ControlRoomOut,
    errors: [401, 403],
  },
  setPolicy: {
    at: 'PATCH /v1/me/control-room/policy',
    summary: 'Change the policy; members that are not named stay as they are',
    description:
      'The first change puts the whole policy in force, with defaults for fields that it does not name. All processes of the platform apply it within a second.',
    scope: 'account',
    body: ControlRoomPolicyIn,
    out: ControlRoomPolicyOut,
    errors: [401, 403, 409],
  },
  receipt: {
    at: 'GET /v1/me/control-room/receipts/{source}/{item_id}',
    summary: 'One of the latest receipts, whatever its source, in one shape',
    scope: 'account',
    params: z.object({ source: z.enum(CONTROL_ROOM_SOURCES), item_id: z.string().min(1).max(64) }),
    out: ControlRoomReceiptOut,
    errors: [401, 403, 404],
  },
});

export const policyDenials = svcGroup({
  denials: {
    at: 'GET /v1/me/policy/denials',
    summary: "List what the account's policy refused or asked about, newest first",
    scope: 'account',
    query: pageQuery(50, 200).extend({
      action: z.enum(POLICY_ACTIONS).optional(),
      agent: z.string().max(128).optional(),
      run_id: z.string().max(64).optional(),
    }),
    out: z.strictObject({ items: z.array(PolicyDenialOut), next_cursor: nextCursor }).meta({ id: 'PolicyDenialListOut' }),
    errors: [400, 401, 403],
  },
});
