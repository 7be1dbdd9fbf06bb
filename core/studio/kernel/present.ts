// How runs of simulated worlds look on the wire.
import type { KernelEvolutionOut, KernelEvolutionSummary } from '#contract/studio/kernel-evolution.ts';
import type { KernelSimulationOut, KernelSimulationSummary, KernelTemplatesOut, Replay } from '#contract/studio/kernel-simulations.ts';
import { ENGINE } from '#contract/studio/simulation/engine.ts';
import { compare } from '#contract/studio/simulation/evolution.ts';
import { INVARIANTS } from '#contract/studio/simulation/invariants.ts';
import type { Kind } from '#contract/studio/simulation/kind.ts';
import { KINDS } from '#contract/studio/simulation/kinds/index.ts';
import { TEMPLATES } from '#contract/studio/simulation/templates.ts';
import {
  callsIn,
  contestantsIn,
  digestsIn,
  evolutionResultIn,
  inputIn,
  type KernelRunRow,
  samplesIn,
  simulationResultIn,
  simulationSpecIn,
  withoutScores,
} from './row.ts';
import { storedFault } from '../../kernel/errors.ts';

function base(row: KernelRunRow) {
  const { job_id, state, title, world, template, seed, engine, done, total, digest } = row;
  return {
    job_id,
    state,
    title,
    world,
    template,
    seed,
    engine,
    done,
    total,
    digest,
    replay: replayOf(row),
    error: storedFault(row.error),
    deadline_at: row.deadline_at.toISOString(),
    created_at: row.created_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

function replayOf({ replay_of, verdict, first_difference }: KernelRunRow): Replay | null {
  if (replay_of === null) return null;
  // It comes to its end together with the comparison.
  const known = verdict !== null || first_difference !== null;
  return { of: replay_of, matches: known ? first_difference === null : null, first_difference };
}

export function simulationSummary(row: KernelRunRow): KernelSimulationSummary {
  return { ...base(row), execution_mode: row.execution_mode, verdict: row.verdict };
}

export function presentSimulation(row: KernelRunRow, spentMicros: number): KernelSimulationOut {
  const result = simulationResultIn(row);
  const spec = simulationSpecIn(row);
  const samples = samplesIn(row);
  return {
    ...simulationSummary(row),
    spec,
    metrics: metricsOf(KINDS[row.world]).map(({ metric, about }) => ({ metric, about, values: samples.map((sample) => sample[metric] ?? 0) })),
    digests: digestsIn(row),
    invariants: [...Object.keys(INVARIANTS), ...spec.invariants.map(({ metric }) => metric)],
    violation: result?.violation ?? null,
    outcomes: (result?.outcomes ?? []).map((outcome) => ({ ...outcome, parameters: { ...outcome.parameters } })),
    score: result?.score ?? null,
    most_calls: row.most_calls,
    calls: callsIn(row),
    budget_cents: row.budget_cents,
    spent_micros: spentMicros,
  };
}

export function evolutionSummary(row: KernelRunRow): KernelEvolutionSummary {
  return { ...base(row), winner: evolutionResultIn(row)?.proposal?.contestant ?? null };
}

export function presentEvolution(row: KernelRunRow): KernelEvolutionOut {
  const { strategy, max_score_delta, seeds } = inputIn(row);
  const result = evolutionResultIn(row);
  const contestants = result?.contestants ?? compare(contestantsIn(row), row.seed).map(withoutScores);
  return { ...evolutionSummary(row), strategy, max_score_delta, seeds, contestants, proposal: result?.proposal ?? null };
}

const metricsOf = ({ metrics }: Kind): { metric: string; about: string }[] => Object.entries(metrics).map(([metric, about]) => ({ metric, about }));

export function listKernelTemplates(): KernelTemplatesOut {
  const items = TEMPLATES.map(({ template, about, spec }) => {
    const kind = KINDS[spec.kind];
    const strategies = Object.entries(kind.roles).flatMap(([role, ways]) =>
      Object.entries(ways).map(([strategy, way]) => ({ role, strategy, about: way.about, parameters: settingsOf(way.parameters) })),
    );
    return { template, title: spec.title, about, world: spec.kind, spec, strategies, rules: settingsOf(kind.rules), metrics: metricsOf(kind) };
  });
  return { engine: ENGINE, items };
}

const settingsOf = (ranges: Kind['rules']): KernelTemplatesOut['items'][number]['rules'] => Object.entries(ranges).map(([name, range]) => ({ name, ...range }));
