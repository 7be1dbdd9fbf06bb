// Rehearsals of many actors in a seeded world: what happens to money, grants and trust under given rules.
// Nothing of it is live.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Fault, Instant, MAX_INT32, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { JobState } from '../runs/work-ledger.ts';
import { EXECUTION_MODES, KERNEL_VERDICTS, RUN_STATES, WORLD_KINDS } from '../states.ts';
import { LIMITS, SimulationSpecIn } from './simulation/spec.ts';
import { TEMPLATES } from './simulation/templates.ts';

export const TemplateName = z.enum(TEMPLATES.map(({ template }) => template));
export const Seed = z.int().min(0).max(MAX_INT32).default(1).meta({ description: 'The same seed gives the same run, digest for digest.' });
export const DeadlineSeconds = z.int().min(10).max(3600).default(600);
const digest = z.string().meta({ description: 'SHA-256, hexadecimal: of the last step, chained to all before.' });
export const jobId = z.object({ job_id: z.string().regex(/^job_[0-9a-f-]{36}$/, 'is not a job id') });

const SIMULATION_EXAMPLE = { template: 'creator-market', seed: 7 };

export const KernelSimulationIn = z
  .strictObject({
    template: TemplateName.optional(),
    spec: SimulationSpecIn.optional(),
    title: trimmedText(100).optional(),
    seed: Seed,
    steps: z.int().min(1).max(LIMITS.steps).optional().meta({ description: 'Overrides the template or the specification.' }),
    execution_mode: z
      .enum(EXECUTION_MODES)
      .default('bounded')
      .meta({ description: 'hybrid: the actors with an `agent` take some of their turns through it, by real calls whose answers are kept for replays.' }),
    calls: z.int().min(1).max(LIMITS.calls).default(3).meta({ description: 'Calls of a hybrid run, all agents together.' }),
    budget_cents: z
      .int()
      .min(0)
      .max(10_000)
      .default(100)
      .meta({ description: 'What the models of those agents may cost; no further call is made from there.' }),
    deadline_seconds: DeadlineSeconds,
  })
  .refine(({ template, spec }) => (template === undefined) !== (spec === undefined), { path: ['template'], message: 'give either a template or a spec' })
  .refine(({ execution_mode, spec }) => execution_mode === 'bounded' || spec?.actors.some(({ agent }) => agent !== undefined) === true, {
    path: ['execution_mode'],
    message: 'a hybrid run needs a spec in which at least one actor has an agent',
  })
  .meta({ id: 'KernelSimulationIn', examples: [SIMULATION_EXAMPLE] });
export type KernelSimulationIn = z.output<typeof KernelSimulationIn>;

const Replay = z.strictObject({
  of: z.string().meta({ description: 'The job that it repeats.' }),
  matches: z.boolean().nullable().meta({ description: 'null: not known yet.' }),
  first_difference: z.int().nullable().meta({ description: 'First step, or number of the contestant, whose digest differs.' }),
});
export type Replay = z.infer<typeof Replay>;

export const kernelRunBase = {
  job_id: z.string().meta({ description: 'Its events, its stream and its cancelling are those of the job.' }),
  state: JobState,
  title: z.string(),
  world: z.enum(WORLD_KINDS),
  template: z.string().nullable(),
  seed: z.int(),
  engine: z.string().meta({ description: 'The engine that made the digests; another one may make others.' }),
  done: z.int().min(0).meta({ description: 'Steps, or contestants.' }),
  total: z.int().min(0),
  digest: digest.nullable(),
  replay: Replay.nullable(),
  error: Fault.nullable(),
  deadline_at: Instant,
  created_at: Instant,
  ended_at: Instant.nullable(),
};

const mode = z.enum(EXECUTION_MODES);
const verdict = z.enum(KERNEL_VERDICTS).nullable();

export const KernelSimulationSummary = z.strictObject({ ...kernelRunBase, execution_mode: mode, verdict }).meta({ id: 'KernelSimulationSummary' });
export type KernelSimulationSummary = z.infer<typeof KernelSimulationSummary>;

const Violation = z.strictObject({ step: z.int(), rule: z.string(), actor: z.string().nullable(), message: z.string() });
const Call = z.strictObject({
  call: z.int(),
  step: z.int(),
  actor: z.string(),
  agent: z.string(),
  run_id: z.string().nullable(),
  state: z.enum(RUN_STATES),
  answer: z.unknown().meta({ description: 'What it answered, 4 KiB of JSON at most: kept for replays.' }),
  act: z.string().nullable().meta({ description: 'What it did with its turn; null: nothing that can be done.' }),
  error: Fault.nullable(),
});
const Outcome = z.strictObject({
  role: z.string(),
  strategy: z.string(),
  parameters: z.record(z.string(), z.int()),
  actors: z.int(),
  alive: z.int(),
  gained_micros: z.int().meta({ description: 'Gain of all of them, over what they began with.' }),
  points: z.int(),
});

export const KernelSimulationOut = z
  .strictObject({
    ...kernelRunBase,
    execution_mode: mode,
    verdict,
    spec: z.record(z.string(), z.unknown()).meta({ description: 'A SimulationSpec, with every default.' }),
    metrics: z.array(z.strictObject({ metric: z.string(), about: z.string(), values: z.array(z.int()).meta({ description: 'One a step.' }) })),
    digests: z.array(z.string()).meta({ description: 'One a step.' }),
    invariants: z.array(z.string()).meta({ description: 'What was checked after each step.' }),
    violation: Violation.nullable(),
    outcomes: z.array(Outcome).meta({ description: 'How those did who acted alike, best first; empty until the end.' }),
    score: z.int().nullable().meta({ description: 'Thousandths of a point, 0 to 100,000.' }),
    most_calls: z.int().meta({ description: 'Turns that agents may take; 0 in a bounded run.' }),
    calls: z.array(Call),
    budget_cents: z.int(),
    spent_micros: z.int().meta({ description: 'What the models of the agents cost, micro-dollars, as far as it is known.' }),
  })
  .meta({ id: 'KernelSimulationOut' });
export type KernelSimulationOut = z.infer<typeof KernelSimulationOut>;

const KernelSimulationsOut = z.strictObject({ items: z.array(KernelSimulationSummary), next_cursor: nextCursor }).meta({ id: 'KernelSimulationsOut' });

const Setting = z.strictObject({
  name: z.string(),
  about: z.string(),
  min: z.int(),
  max: z.int(),
  value: z.int().meta({ description: 'Where nothing is said.' }),
});
const StrategyOut = z.strictObject({ role: z.string(), strategy: z.string(), about: z.string(), parameters: z.array(Setting) });
export const KernelTemplatesOut = z
  .strictObject({
    engine: z.string(),
    items: z.array(
      z.strictObject({
        template: z.string(),
        title: z.string(),
        about: z.string(),
        world: z.enum(WORLD_KINDS),
        spec: z.record(z.string(), z.unknown()).meta({ description: 'A SimulationSpec: to run as it is, or to change.' }),
        strategies: z.array(StrategyOut),
        rules: z.array(Setting),
        metrics: z.array(z.strictObject({ metric: z.string(), about: z.string() })),
      }),
    ),
  })
  .meta({ id: 'KernelTemplatesOut' });
export type KernelTemplatesOut = z.infer<typeof KernelTemplatesOut>;

export const kernelSimulations = group({
  list: {
    at: 'GET /v1/me/kernel-simulations/runs',
    summary: 'Simulations of the account, newest first',
    scope: 'account',
    query: pageQuery(50, 200),
    out: KernelSimulationsOut,
    errors: [400, 401, 403],
  },
  start: {
    at: 'POST /v1/me/kernel-simulations/runs',
    summary: 'Run a world of many actors from a seed',
    description: 'A job: read its result here, its events at the work ledger. A broken invariant ends it as failed, with the step, the actor and the rule.',
    scope: 'account',
    body: KernelSimulationIn,
    out: KernelSimulationSummary,
    status: 202,
    errors: [401, 403, 404, 409],
  },
  get: {
    at: 'GET /v1/me/kernel-simulations/runs/{job_id}',
    summary: 'One simulation: what was measured, what held, how each strategy did',
    scope: 'account',
    params: jobId,
    out: KernelSimulationOut,
    errors: [401, 403, 404],
  },
  replay: {
    at: 'POST /v1/me/kernel-simulations/runs/{job_id}/replay',
    summary: 'Run it again and compare every digest',
    description: 'Another job, which calls no agent: it uses the stored answers. It fails where a digest differs, and names the step.',
    scope: 'account',
    params: jobId,
    out: KernelSimulationSummary,
    status: 202,
    errors: [401, 403, 404, 409],
  },
  templates: {
    at: 'GET /v1/me/kernel-simulations/templates',
    summary: 'Worlds to start from, with their strategies and rules',
    scope: 'account',
    out: KernelTemplatesOut,
    errors: [401, 403],
  },
});
