// Rehearsals check an agent's own card and code against scenarios, in a disposable machine of a disposable
// account. Nothing live takes part.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Fault, Instant, MAX_INT32, nextCursor, pageQuery, SequenceNumber, trimmedText } from '../shared.ts';
import { JOB_STATES, PROTOCOL_STATES, RISK_CLASSES, SCENARIO_STATES, SIMULATION_VERDICTS } from '../states.ts';
import { Semver } from '../wire/names.ts';
import { MAX_SCENARIOS, ProtocolScenario, ProtocolSuite, ScenarioName, STEP_OUTCOMES } from './protocol-steps.ts';

const MAX_EPISODES = 60;
/** Of the suite that the product comes with. */
export const CORE_PROTOCOL = { id: 'core', version: '1.0.0', display_name: 'Core scenarios' } as const;

export const ProtocolId = z
  .string()
  .regex(/^[a-z][a-z0-9-]{1,62}$/, 'use lower-case letters, digits and hyphens, 2 to 63, e.g. "release-gate"')
  .meta({ examples: ['core'] });
export const Version = Semver.meta({ examples: ['1.0.0'] });
const seed = z
  .int()
  .min(0)
  .max(MAX_INT32)
  .default(1)
  .meta({ description: 'Decides which skills are called with which arguments. The same seed over the same code gives the same digest.' });
const cents = (most: number) => z.int().min(0).max(most);
const limits = {
  run_budget_cents: cents(10_000).default(500).meta({ description: 'What models may cost that the rehearsed agent asks.' }),
  budget_ceiling_cents: cents(100_000).default(3_000).meta({ description: 'The most that run_budget_cents may be.' }),
  ttl_seconds: z.int().min(60).max(3600).default(600).meta({ description: 'It ends automatically after this time.' }),
  max_episodes: z.int().min(1).max(MAX_EPISODES).default(30).meta({ description: 'Scenario runs of this rehearsal, with those that are asked for later.' }),
};
const scenarios = z
  .array(ScenarioName)
  .min(1)
  .max(MAX_SCENARIOS)
  .refine((names) => new Set(names).size === names.length, 'a scenario is named twice')
  .optional()
  .meta({ description: 'Only these scenarios of the suite. Absent: all.' });
const ceiling = ({ run_budget_cents: budget, budget_ceiling_cents: most }: { run_budget_cents: number; budget_ceiling_cents: number }): boolean =>
  budget <= most;
const aboveCeiling = { path: ['run_budget_cents'], message: 'is more than budget_ceiling_cents' };

export const ProtocolSimulationIn = z
  .strictObject({ scenarios, seed, ...limits })
  .refine(ceiling, aboveCeiling)
  .meta({ id: 'ProtocolSimulationIn' });

const ref = z.strictObject({ id: ProtocolId, version: Version });
export const ProtocolCustomRunIn = z
  .strictObject({
    protocol_ref: ref.optional().meta({ description: 'A protocol of the registry.' }),
    suite: ProtocolSuite.optional().meta({ description: 'Or the scenarios themselves, which are kept only with this rehearsal.' }),
    scenarios,
    seed,
    ...limits,
  })
  .refine(ceiling, aboveCeiling)
  .refine(({ protocol_ref, suite }) => (protocol_ref === undefined) !== (suite === undefined), 'give either protocol_ref or suite')
  .meta({ id: 'ProtocolCustomRunIn', examples: [{ protocol_ref: { id: 'core', version: '1.0.0' } }] });

export const ProtocolEventOut = z
  .strictObject({
    n: z.int().min(1),
    step: z.string(),
    outcome: z.enum([...STEP_OUTCOMES, 'skipped']),
    code: z.string().nullable(),
    facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  })
  .meta({ id: 'ProtocolEventOut', description: 'Without ids and times: the digest is made of these.' });
export type ProtocolEventOut = z.infer<typeof ProtocolEventOut>;

export const BrokenRuleOut = z
  .strictObject({
    event: z.int().meta({ description: 'Number of the event that broke it.' }),
    rule: z.string(),
    says: z.string(),
    expected: z.string(),
    got: z.string(),
  })
  .meta({ id: 'BrokenRuleOut' });
export type BrokenRuleOut = z.infer<typeof BrokenRuleOut>;

export const ScenarioRunOut = z
  .strictObject({
    position: z.int(),
    scenario: z.string(),
    title: z.string(),
    seed: z.int(),
    state: z.enum(SCENARIO_STATES),
    events: z.array(ProtocolEventOut),
    observed: z.array(z.string()).meta({ description: 'Further observations; not part of the digest, since they may differ from run to run.' }),
    broken: z.array(BrokenRuleOut),
    reason: z.string().nullable().meta({ description: 'Why it was skipped or has no verdict.' }),
    digest: z.string().nullable(),
    elapsed_ms: z.int().nullable(),
  })
  .meta({ id: 'ScenarioRunOut' });
export type ScenarioRunOut = z.infer<typeof ScenarioRunOut>;

const counts = z.strictObject({ queued: z.int(), running: z.int(), passed: z.int(), failed: z.int(), skipped: z.int(), errored: z.int(), cancelled: z.int() });
export const ProtocolSimulationOut = z
  .strictObject({
    job_id: z.string(),
    agent: z.string(),
    deploy_id: z.string(),
    version: z.string().nullable(),
    state: z.enum(JOB_STATES),
    verdict: z
      .enum(SIMULATION_VERDICTS)
      .nullable()
      .meta({ description: 'passed: every scenario passed, but for those that could not apply. null: it has not ended.' }),
    protocol_ref: z.strictObject({ id: z.string(), version: z.string(), display_name: z.string(), template_refs: z.array(z.string()) }),
    suite_digest: z.string(),
    seed: z.int(),
    simulation_only: z.literal(true),
    proposal_only: z.literal(true),
    active_apply_enabled: z.literal(false).meta({ description: 'A rehearsal applies nothing.' }),
    kill_switch_available: z.boolean().meta({ description: 'It can be stopped: it has not ended.' }),
    run_budget_cents: z.int(),
    budget_ceiling_cents: z.int(),
    spent_micros: z.int().meta({ description: 'Micro-dollars of models.' }),
    ttl_seconds: z.int(),
    max_episodes: z.int(),
    deadline_at: Instant,
    counts,
    digest: z.string().nullable().meta({ description: 'SHA-256 of the canonical JSON of protocol, seed and events, without ids and times.' }),
    stage_removed: z.boolean().meta({ description: 'The disposable machine and account are gone.' }),
    error: Fault.nullable(),
    created_at: Instant,
    started_at: Instant.nullable(),
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'ProtocolSimulationOut' });
export type ProtocolSimulationOut = z.infer<typeof ProtocolSimulationOut>;
export const ProtocolSimulationDetailOut = z
  .strictObject({ ...ProtocolSimulationOut.shape, scenarios: z.array(ScenarioRunOut) })
  .meta({ id: 'ProtocolSimulationDetailOut' });
export type ProtocolSimulationDetailOut = z.infer<typeof ProtocolSimulationDetailOut>;
const ProtocolSimulationListOut = z.strictObject({ items: z.array(ProtocolSimulationOut), next_cursor: nextCursor }).meta({ id: 'ProtocolSimulationListOut' });

const ScenarioOut = z
  .strictObject({ scenario: z.string(), title: z.string(), summary: z.string(), rules: z.record(z.string(), z.string()), steps: z.int() })
  .meta({ id: 'ProtocolScenarioOut' });

const entry = {
  protocol_id: ProtocolId,
  version: Version,
  display_name: trimmedText(120),
  risk_class: z.enum(RISK_CLASSES),
};
export const ProtocolSuiteIn = z.strictObject({ ...entry, risk_class: entry.risk_class.default('medium'), suite: ProtocolSuite }).meta({
  id: 'ProtocolSuiteIn',
  examples: [
    {
      protocol_id: 'release-gate',
      version: '1.0.0',
      display_name: 'Release gate',
      suite: {
        scenarios: [
          {
            scenario: 'read_only',
            title: 'Read only',
            summary: 'A reader gets no right to write.',
            rules: { no_write: 'A child of a reader never writes' },
            steps: [
              { do: 'mint', as: 'reader', allow: ['docs/**'] },
              { do: 'delegate', from: 'reader', as: 'writer', allow: ['docs/**'], mode: 'read_write_overlay', expect: 'refused', rule: 'no_write' },
            ],
          },
        ],
      },
    },
  ],
});

export const ProtocolEntryOut = z
  .strictObject({
    ...entry,
    agent: z.string(),
    state: z.enum(PROTOCOL_STATES),
    digest: z.string().meta({ description: 'SHA-256 of the canonical JSON of the suite.' }),
    signature: z.strictObject({
      kid: z.string().meta({ description: 'Key id of GET /v1/public/receipt-keys.' }),
      value: z
        .string()
        .meta({ description: 'Ed25519 over the canonical JSON of {typ, agent, protocol_id, version, digest}, base64url; typ is "svc.protocol/1".' }),
    }),
    scenarios: z.array(z.string()),
    history: z.array(
      z.strictObject({
        from: z.enum(PROTOCOL_STATES).nullable(),
        to: z.enum(PROTOCOL_STATES),
        by: z.enum(['owner', 'platform']),
        note: z.string(),
        at: Instant,
      }),
    ),
    next: z.array(z.enum(PROTOCOL_STATES)).meta({ description: 'States that its owner may move it to, where what they require is met.' }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'ProtocolEntryOut' });
export type ProtocolEntryOut = z.infer<typeof ProtocolEntryOut>;

export const ProtocolReadinessIn = z
  .strictObject({ protocol_ref: ref.default({ id: CORE_PROTOCOL.id, version: CORE_PROTOCOL.version }) })
  .meta({ id: 'ProtocolReadinessIn' });
const READINESS_ITEMS = [
  'simulation_passed',
  'policy_reviewed',
  'owner_approved',
  'operator_enabled',
  'registry_enabled',
  'no_critical_finding',
  'redaction_reviewed',
] as const;
export const ProtocolReadinessOut = z
  .strictObject({
    agent: z.string(),
    deploy_id: z.string().nullable(),
    version: z.string().nullable(),
    protocol_ref: ref,
    ready: z.boolean().meta({ description: 'Nothing blocks. The value enables nothing.' }),
    active_apply_enabled: z.literal(false),
    items: z.array(
      z.strictObject({
        item: z.enum(READINESS_ITEMS),
        met: z.boolean(),
        why: z.string(),
        remedy: z.string().nullable(),
        refs: z.array(z.string()).meta({ description: 'Ids of what it was read from.' }),
      }),
    ),
  })
  .meta({ id: 'ProtocolReadinessOut' });
export type ProtocolReadinessOut = z.infer<typeof ProtocolReadinessOut>;

/** What participants may say of a rehearsal; what the platform says has other words. */
export const PARTICIPANT_EVENTS = ['participant_joined', 'observation', 'change_proposed', 'participant_left'] as const;
export const MAX_NOTES = 200;
export const ProtocolEventIn = z
  .strictObject({
    kind: z.enum(PARTICIPANT_EVENTS),
    participant: trimmedText(120),
    message: trimmedText(2000),
    scenario: ScenarioName.optional(),
    payload: z
      .record(z.string(), z.unknown())
      .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= 16_384, 'is larger than 16384 bytes as JSON')
      .default({}),
  })
  .meta({ id: 'ProtocolEventIn', description: 'A note. One that claims the right to apply something is refused.' });
const ProtocolEventAcceptedOut = z.strictObject({ job_id: z.string(), seq: SequenceNumber }).meta({ id: 'ProtocolEventAcceptedOut' });
export const ScenarioRunIn = z.strictObject({ scenario: ScenarioName, seed }).meta({ id: 'ScenarioRunIn' });
const ProtocolStopIn = z.strictObject({ reason: trimmedText(500).default('Stopped by its owner') }).meta({ id: 'ProtocolStopIn' });

const JobParams = AgentParams.extend({ job_id: z.string().regex(/^job_[0-9a-f-]{36}$/, 'is not the id of a job') });
const started = [401, 403, 404, 409, 429] as const;

export const protocolSimulations = group({
  list: {
    at: 'GET /v1/agents/{name}/protocol-simulations',
    summary: 'The rehearsals of an agent, newest first',
    scope: 'authenticated',
    params: AgentParams,
    query: pageQuery(20, 100, ['m']),
    out: ProtocolSimulationListOut,
    errors: [400, 401, 403, 404],
  },
  start: {
    at: 'POST /v1/agents/{name}/protocol-simulations',
    summary: 'Rehearse the live version against the scenarios of the product, in a disposable machine',
    description:
      'The card and code of the live version start in a machine of a disposable account, without secrets, network or models. Grants, runs and receipts of the rehearsal are of that account and go with it; the agent, its receipts and its callers see nothing. Follow the job: GET /v1/me/jobs/{job_id}/events/stream.',
    scope: 'authenticated',
    params: AgentParams,
    body: ProtocolSimulationIn,
    out: ProtocolSimulationOut,
    status: 202,
    errors: started,
    limit: 'create',
  },
  customRun: {
    at: 'POST /v1/agents/{name}/protocol-simulations/custom-runs',
    summary: 'Rehearse it against a suite of your own',
    scope: 'authenticated',
    params: AgentParams,
    body: ProtocolCustomRunIn,
    out: ProtocolSimulationOut,
    status: 202,
    errors: started,
    limit: 'create',
  },
  suiteTemplates: {
    at: 'GET /v1/agents/{name}/protocol-simulations/custom-suite-templates',
    summary: 'Suites to start from',
    scope: 'authenticated',
    params: AgentParams,
    out: z
      .strictObject({
        items: z.array(
          z.strictObject({ template: z.string(), title: z.string(), summary: z.string(), risk_class: z.enum(RISK_CLASSES), suite: ProtocolSuite }),
        ),
      })
      .meta({ id: 'ProtocolSuiteTemplateListOut' }),
    errors: [401, 403, 404],
  },
  createSuite: {
    at: 'POST /v1/agents/{name}/protocol-simulations/custom-suites',
    summary: 'Put a suite of your own into the registry, digested and signed',
    scope: 'authenticated',
    params: AgentParams,
    body: ProtocolSuiteIn,
    out: ProtocolEntryOut,
    status: 201,
    errors: [401, 403, 404, 409],
  },
  templates: {
    at: 'GET /v1/agents/{name}/protocol-simulations/custom-templates',
    summary: 'Scenarios to start from: those of the product, step by step',
    scope: 'authenticated',
    params: AgentParams,
    out: z.strictObject({ items: z.array(ProtocolScenario) }).meta({ id: 'ProtocolTemplateListOut' }),
    errors: [401, 403, 404],
  },
  registry: {
    at: 'GET /v1/agents/{name}/protocol-simulations/protocol-registry',
    summary: 'The protocols of an agent, with their states',
    scope: 'authenticated',
    params: AgentParams,
    query: pageQuery(20, 100, ['m']),
    out: z.strictObject({ items: z.array(ProtocolEntryOut), next_cursor: nextCursor }).meta({ id: 'ProtocolRegistryOut' }),
    errors: [400, 401, 403, 404],
  },
  readiness: {
    at: 'POST /v1/agents/{name}/protocol-simulations/runtime-readiness',
    summary: 'List what blocks a protocol for the agent',
    description: 'It reads what is known now and changes nothing.',
    scope: 'authenticated',
    params: AgentParams,
    body: ProtocolReadinessIn,
    out: ProtocolReadinessOut,
    errors: [401, 403, 404],
  },
  scenarios: {
    at: 'GET /v1/agents/{name}/protocol-simulations/scenarios',
    summary: 'The scenarios of the product, and the rules that each holds an agent against',
    scope: 'authenticated',
    params: AgentParams,
    out: z.strictObject({ items: z.array(ScenarioOut) }).meta({ id: 'ProtocolScenarioListOut' }),
    errors: [401, 403, 404],
  },
  get: {
    at: 'GET /v1/agents/{name}/protocol-simulations/{job_id}',
    summary: 'One rehearsal with its scenarios, their events, and the rules that were broken',
    scope: 'authenticated',
    params: JobParams,
    out: ProtocolSimulationDetailOut,
    errors: [401, 403, 404],
  },
  note: {
    at: 'POST /v1/agents/{name}/protocol-simulations/{job_id}/events',
    summary: 'Add a note of a participant to an open rehearsal',
    description: 'What claims the right to apply something is refused: a rehearsal proposes, and changes nothing live.',
    scope: 'authenticated',
    params: JobParams,
    body: ProtocolEventIn,
    out: ProtocolEventAcceptedOut,
    status: 201,
    errors: [401, 403, 404, 409],
  },
  addScenario: {
    at: 'POST /v1/agents/{name}/protocol-simulations/{job_id}/scenario-runs',
    summary: 'Add a run of a scenario of its suite to an open rehearsal',
    scope: 'authenticated',
    params: JobParams,
    body: ScenarioRunIn,
    out: ScenarioRunOut,
    status: 201,
    errors: [401, 403, 404, 409],
  },
  stop: {
    at: 'POST /v1/agents/{name}/protocol-simulations/{job_id}/stop',
    summary: 'Stop a rehearsal now: its scenarios end, and its machine is removed',
    scope: 'authenticated',
    params: JobParams,
    body: ProtocolStopIn,
    out: ProtocolSimulationOut,
    status: 202,
    errors: [401, 403, 404, 409],
  },
});
