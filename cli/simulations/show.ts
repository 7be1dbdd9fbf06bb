// Simulations and comparisons as lines of text.
import type { KernelEvolutionOut } from '#contract/studio/kernel-evolution.ts';
import type { KernelSimulationOut } from '#contract/studio/kernel-simulations.ts';
import { plain, table } from '../lib/output.ts';
import { points, sparkline } from './spark.ts';

const settings = (parameters: Readonly<Record<string, number>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

export function simulationLines(run: KernelSimulationOut): string[] {
  const { job_id, title, state, done, total, seed, digest, violation, replay } = run;
  const plots = run.metrics.map(({ metric, values }) => [metric, sparkline(values), `${values.at(-1) ?? '-'}`]);
  const outcomes = run.outcomes.map((one) => [
    one.role,
    one.strategy,
    settings(one.parameters),
    `${one.alive} of ${one.actors}`,
    `${Math.floor(one.gained_micros / one.actors)}`,
  ]);
  return [
    plain(`${job_id}  ${title}`),
    `${state}, ${done} of ${total} steps, seed ${seed}`,
    ...(violation
      ? [plain(`Broken at step ${violation.step}: ${violation.rule}${violation.actor === null ? '' : ` by ${violation.actor}`}. ${violation.message}`)]
      : []),
    ...(run.verdict === 'held' ? [`${run.invariants.length} invariants held at every step.`] : []),
    '',
    ...(done === 0 ? [] : table(['METRIC', 'OVER TIME', 'LAST'], plots)),
    ...(outcomes.length === 0 ? [] : ['', ...table(['ROLE', 'STRATEGY', 'SETTINGS', 'LEFT', 'GAINED EACH (MICROS)'], outcomes)]),
    ...(digest === null ? [] : ['', `Digest: ${digest}`]),
    ...replayLines(replay),
  ];
}

export function evolutionLines(run: KernelEvolutionOut): string[] {
  const { job_id, title, state, done, total, seed, digest, proposal, replay } = run;
  const interval = ({ mean, low, high }: { mean: number; low: number; high: number }): string => `${points(mean)}  [${points(low)}, ${points(high)}]`;
  const rows = run.contestants.map((one) => [
    one.name,
    one.change === '' ? '-' : one.change,
    one.strategy,
    interval(one.score),
    interval(one.gain),
    points(one.worst),
  ]);
  return [
    plain(`${job_id}  ${title}`),
    `${state}, ${done} of ${total} contestants, ${run.seeds.length} seeds each, seed ${seed}`,
    '',
    ...(rows.length === 0 ? [] : table(['NAME', 'CHANGE', 'STRATEGY', 'SCORE (95 %)', 'AGAINST THE FIRST (95 %)', 'WORST'], rows)),
    ...(proposal
      ? [
          '',
          `Proposed, switched off: ${proposal.role} ${proposal.strategy} ${settings(proposal.parameters)}`,
          `From: ${proposal.lineage.map(({ name, change }) => (change === '' ? name : `${name} (${change})`)).join(' -> ')}`,
        ]
      : []),
    ...(state === 'succeeded' && !proposal ? ['', 'None is surely better than the first: nothing is proposed.'] : []),
    ...(digest === null ? [] : ['', `Digest: ${digest}`]),
    ...replayLines(replay),
  ].map(plain);
}

function replayLines(replay: KernelSimulationOut['replay']): string[] {
  if (!replay) return [];
  if (replay.matches === null) return [`Repeats ${replay.of}.`];
  return [replay.matches ? `Every digest is that of ${replay.of}.` : `It differs from ${replay.of} from number ${replay.first_difference} on.`];
}
