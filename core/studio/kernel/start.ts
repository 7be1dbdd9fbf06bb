import type { KernelEvolutionIn, KernelEvolutionSummary } from '#contract/studio/kernel-evolution.ts';
import type { KernelSimulationIn, KernelSimulationSummary } from '#contract/studio/kernel-simulations.ts';
import { complete, type Contestant, policyIn, seedsOf } from '#contract/studio/simulation/evolution.ts';
import { KINDS } from '#contract/studio/simulation/kinds/index.ts';
import type { SimulationSpec } from '#contract/studio/simulation/spec.ts';
import { templateOf } from '#contract/studio/simulation/templates.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableJson } from '../../kernel/storable.ts';
import { act, recorded } from '../../kernel/act.ts';
import { createKernelRun } from './create.ts';
import { evolutionSummary, simulationSummary } from './present.ts';
import { kernelRunFor } from './row.ts';

/** @throws NotFound agent_not_found; Conflict too_many_kernel_runs */
export async function startSimulation(ctx: Ctx, i: KernelSimulationIn): Promise<KernelSimulationSummary> {
  return act(ctx, 'kernel_run.start', requireUser, async (ctx, { user_id }) => {
    const spec = worldIn(i, i.template, i.steps);
    const hybrid = i.execution_mode === 'hybrid';
    const agents = hybrid ? spec.actors.flatMap(({ agent }) => (agent ? [agent.name] : [])) : [];
    for (const name of new Set(agents)) await agentFor(ctx.db, ctx.actor, 'agent.call', name);
    const job_id = await createKernelRun(ctx, {
      ownerId: user_id,
      title: i.title ?? spec.title,
      deadlineSeconds: i.deadline_seconds,
      kind: 'simulation',
      world: spec.kind,
      template: i.template ?? null,
      execution_mode: i.execution_mode,
      seed: i.seed,
      spec: storableJson(spec),
      total: spec.steps,
      most_calls: hybrid ? i.calls : 0,
      budget_cents: hybrid ? i.budget_cents : 0,
    });
    return recorded(simulationSummary(await kernelRunFor(ctx.db, ctx.actor, 'kernel_run.read', 'simulation', job_id)));
  });
}

/** @throws Conflict too_many_kernel_runs */
export async function startEvolution(ctx: Ctx, i: KernelEvolutionIn): Promise<KernelEvolutionSummary> {
  return act(ctx, 'kernel_run.start', requireUser, async (ctx, { user_id }) => {
    const template = i.spec ? null : (i.template ?? i.world);
    const spec = worldIn(i, template ?? undefined);
    const bases = basesOf(i, spec);
    const input = { bases, strategy: i.strategy, variant_count: i.variant_count, max_score_delta: i.max_score_delta, seeds: seedsOf(i.seed, i.seeds) };
    const job_id = await createKernelRun(ctx, {
      ownerId: user_id,
      title: i.title ?? `Variants in: ${spec.title}`,
      deadlineSeconds: i.deadline_seconds,
      kind: 'evolution',
      world: spec.kind,
      template,
      execution_mode: 'bounded',
      seed: i.seed,
      spec: storableJson(spec),
      input: storableJson(input),
      total: bases.length + i.variant_count,
    });
    return recorded(evolutionSummary(await kernelRunFor(ctx.db, ctx.actor, 'kernel_run.read', 'evolution', job_id)));
  });
}

function worldIn({ spec }: { spec?: SimulationSpec | undefined }, template: string | undefined, steps?: number): SimulationSpec {
  const world = spec ?? (template === undefined ? undefined : templateOf(template)?.spec);
  if (!world) throw new Error('the schema lets neither through');
  return steps === undefined ? world : { ...world, steps };
}

function basesOf({ participants }: KernelEvolutionIn, spec: SimulationSpec): Contestant[] {
  const of = { generation: 0 as const, parent: null, change: '' };
  if (!participants) return [{ ...of, name: 'base', ...policyIn(spec) }];
  return participants.map((one) => ({ ...of, name: one.name, ...complete(KINDS[spec.kind], one) }));
}
