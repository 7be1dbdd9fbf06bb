// Variants of a policy compared over many seeds of a simulated world. The winner is a proposal that is
// switched off: nothing applies it.
import { z } from 'zod';
import { group } from '../kit.ts';
import { MAX_INT32, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { DeadlineSeconds, jobId, kernelRunBase, Seed, TemplateName } from './kernel-simulations.ts';
import { EVOLUTION_STRATEGIES } from './simulation/evolution-strategies.ts';
import { LIMITS, SimulationSpecIn } from './simulation/spec.ts';
import { KINDS } from './simulation/kinds/index.ts';
import { templateOf } from './simulation/templates.ts';

const word = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'use lower-case letters, digits, "-" and "_", 32 at most');
const parameters = z.record(word, z.int().min(-MAX_INT32).max(MAX_INT32));
const Participant = z
  .strictObject({ name: word, strategy: word, parameters: parameters.default({}) })
  .meta({ id: 'EvolutionParticipant', description: "A way to act of the world's studied role." });

export const KernelEvolutionIn = z
  .strictObject({
    template: TemplateName.optional(),
    spec: SimulationSpecIn.optional(),
    participants: z
      .array(Participant)
      .min(2)
      .max(12)
      .optional()
      .meta({ description: 'Ways to act, compared in `world`. The first is the baseline for the others.' }),
    world: TemplateName.default('creator-market').meta({ description: 'Template of the world in which participants are compared.' }),
    title: trimmedText(100).optional(),
    strategy: z.enum(EVOLUTION_STRATEGIES).default('mutate').meta({
      description: 'mutate: one parameter moved, or another strategy, by the seed · sweep: the first parameter at even distances over its range.',
    }),
    seed: Seed,
    variant_count: z.int().min(1).max(8).default(3),
    max_score_delta: z
      .int()
      .min(0)
      .max(100)
      .default(3)
      .meta({ description: 'Points (of 100) that a winner may lose against the first contestant on any single seed; who loses more is not proposed.' }),
    seeds: z.int().min(4).max(32).default(16).meta({ description: 'On how many seeds each is run.' }),
    deadline_seconds: DeadlineSeconds,
  })
  .superRefine((input, context) => {
    const given = [input.template, input.spec, input.participants].filter((one) => one !== undefined);
    if (given.length !== 1)
      return void context.addIssue({ code: 'custom', path: ['template'], message: 'give exactly one of template, spec and participants' });
    const spec = input.spec ?? templateOf(input.template ?? input.world)?.spec;
    if (!spec) return;
    const kind = KINDS[spec.kind];
    const strategies = kind.roles[kind.subject] ?? {};
    if (!spec.actors.some(({ role }) => role === kind.subject))
      context.addIssue({ code: 'custom', path: ['spec', 'actors'], message: `has no ${kind.subject}, whose strategy is what evolves` });
    if (spec.actors.length * spec.steps > LIMITS.actors * LIMITS.steps)
      context.addIssue({ code: 'custom', path: ['spec', 'steps'], message: 'is too many for so many actors' });
    for (const [at, { strategy, parameters: own }] of (input.participants ?? []).entries()) {
      const known = Object.hasOwn(strategies, strategy) ? strategies[strategy] : undefined;
      const bad = (message: string, ...path: string[]): void => void context.addIssue({ code: 'custom', path: ['participants', at, ...path], message });
      if (!known) bad(`a ${kind.subject} has the strategies ${Object.keys(strategies).join(', ')}`, 'strategy');
      for (const [name, value] of Object.entries(own)) {
        const range = known && Object.hasOwn(known.parameters, name) ? known.parameters[name] : undefined;
        if (known && !range) bad(`is unknown: use ${Object.keys(known.parameters).join(', ') || 'none'}`, 'parameters', name);
        else if (range && (value < range.min || value > range.max)) bad(`is ${range.min} to ${range.max}`, 'parameters', name);
      }
    }
    const names = (input.participants ?? []).map(({ name }) => name);
    if (new Set(names).size < names.length) context.addIssue({ code: 'custom', path: ['participants'], message: 'two participants have one name' });
  })
  .meta({ id: 'KernelEvolutionIn', examples: [{ template: 'creator-market', seed: 7, variant_count: 4 }] });
export type KernelEvolutionIn = z.output<typeof KernelEvolutionIn>;

export const KernelEvolutionSummary = z
  .strictObject({
    ...kernelRunBase,
    winner: z.string().nullable().meta({ description: 'Name of the contestant that is proposed; null: none is surely better, or it has not ended.' }),
  })
  .meta({ id: 'KernelEvolutionSummary' });
export type KernelEvolutionSummary = z.infer<typeof KernelEvolutionSummary>;

const Interval = z
  .strictObject({ mean: z.int(), low: z.int(), high: z.int() })
  .meta({ id: 'ScoreInterval', description: 'Thousandths of a point: the mean over the seeds, and its interval of 95 % by bootstrap.' });
const Contestant = z.strictObject({
  name: z.string(),
  generation: z.int().min(0),
  parent: z.string().nullable(),
  change: z.string().meta({ description: 'Against its parent.' }),
  strategy: z.string(),
  parameters: z.record(z.string(), z.int()),
  score: Interval,
  gain: Interval.meta({ description: 'Against the first contestant, seed by seed.' }),
  worst: z.int().meta({ description: 'The least gain on one seed, thousandths of a point.' }),
  violations: z.int().meta({ description: 'Runs in which an invariant broke.' }),
  digest: z.string(),
});
const KernelProposal = z
  .strictObject({
    state: z.literal('disabled').meta({ description: 'The platform changes nothing; apply the proposal yourself.' }),
    contestant: z.string(),
    role: z.string(),
    strategy: z.string(),
    parameters: z.record(z.string(), z.int()),
    lineage: z.array(z.strictObject({ name: z.string(), change: z.string(), digest: z.string() })).meta({ description: 'From where it came, oldest first.' }),
  })
  .meta({ id: 'KernelProposal' });

export const KernelEvolutionOut = z
  .strictObject({
    ...KernelEvolutionSummary.shape,
    strategy: z.enum(EVOLUTION_STRATEGIES),
    max_score_delta: z.int(),
    seeds: z.array(z.int()),
    contestants: z.array(Contestant).meta({ description: 'In the order in which they were run. All are compared with the first.' }),
    proposal: KernelProposal.nullable(),
  })
  .meta({ id: 'KernelEvolutionOut' });
export type KernelEvolutionOut = z.infer<typeof KernelEvolutionOut>;

const KernelEvolutionsOut = z.strictObject({ items: z.array(KernelEvolutionSummary), next_cursor: nextCursor }).meta({ id: 'KernelEvolutionsOut' });

export const kernelEvolution = group({
  list: {
    at: 'GET /v1/me/kernel-evolution/runs',
    summary: 'Comparisons of the account, newest first',
    scope: 'account',
    query: pageQuery(50, 200),
    out: KernelEvolutionsOut,
    errors: [400, 401, 403],
  },
  start: {
    at: 'POST /v1/me/kernel-evolution/runs',
    summary: 'Make variants of a policy and compare them over many seeds',
    scope: 'account',
    body: KernelEvolutionIn,
    out: KernelEvolutionSummary,
    status: 202,
    errors: [401, 403, 409],
  },
  get: {
    at: 'GET /v1/me/kernel-evolution/runs/{job_id}',
    summary: 'One comparison: contestants with their intervals, and the proposal',
    scope: 'account',
    params: jobId,
    out: KernelEvolutionOut,
    errors: [401, 403, 404],
  },
  replay: {
    at: 'POST /v1/me/kernel-evolution/runs/{job_id}/replay',
    summary: 'Run it again and compare every digest',
    scope: 'account',
    params: jobId,
    out: KernelEvolutionSummary,
    status: 202,
    errors: [401, 403, 404, 409],
  },
});
