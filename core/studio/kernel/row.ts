// A run of simulated worlds as it is kept: a row beside its job.
import type { Knex } from 'knex';
import type { KernelRunKind } from '#contract/states.ts';
import type { EvolutionStrategy } from '#contract/studio/simulation/evolution-strategies.ts';
import type { Compared, Contestant, Evaluated } from '#contract/studio/simulation/evolution.ts';
import type { SimulationSpec } from '#contract/studio/simulation/spec.ts';
import type { SimulationResult } from '#contract/studio/simulation/run.ts';
import type { KernelEvolutionOut } from '#contract/studio/kernel-evolution.ts';
import type { KernelSimulationOut } from '#contract/studio/kernel-simulations.ts';
import type { JobsRow, KernelRunsRow } from '#db/tables.ts';
import type { Actor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { whereMay } from '../../kernel/policy.ts';

export type KernelRunRow = KernelRunsRow & Pick<JobsRow, 'title' | 'state' | 'error' | 'ended_at'>;

export interface EvolutionInput {
  /** The first generation; its first member is the baseline for the others. */
  bases: Contestant[];
  strategy: EvolutionStrategy;
  variant_count: number;
  max_score_delta: number;
  seeds: number[];
}

/** A turn that an agent took. */
export type SimulationCall = KernelSimulationOut['calls'][number];

export type EvolutionResult = Pick<KernelEvolutionOut, 'contestants' | 'proposal'>;

// Safe: the verbs of this folder are the only writers of these columns, and write these shapes.
export const simulationSpecIn = (row: Pick<KernelRunsRow, 'spec'>): SimulationSpec => row.spec as SimulationSpec;
export const inputIn = (row: Pick<KernelRunsRow, 'input'>): EvolutionInput => row.input as EvolutionInput;
export const callsIn = (row: Pick<KernelRunsRow, 'calls'>): SimulationCall[] => row.calls as SimulationCall[];
export const digestsIn = (row: Pick<KernelRunsRow, 'digests'>): string[] => row.digests as string[];
export const samplesIn = (row: Pick<KernelRunsRow, 'samples'>): Record<string, number>[] => row.samples as Record<string, number>[];
export const contestantsIn = (row: Pick<KernelRunsRow, 'contestants'>): Evaluated[] => row.contestants as Evaluated[];
export const simulationResultIn = (row: Pick<KernelRunsRow, 'result'>): SimulationResult | null => row.result as SimulationResult | null;
export const evolutionResultIn = (row: Pick<KernelRunsRow, 'result'>): EvolutionResult | null => row.result as EvolutionResult | null;

/** As it is shown: the score of each seed is not. */
export function withoutScores(one: Compared): Omit<Compared, 'scores'> {
  const { scores: _, ...shown } = one;
  return shown;
}

export const workflowOfKernelRun = (jobId: string): string => `kernel:${jobId}`;

/** Rows with what their jobs say. */
export function selectRuns(db: Knex) {
  return db('kernel_runs as k').join('jobs as j', 'j.job_id', 'k.job_id').select<KernelRunRow[]>('k.*', 'j.title', 'j.state', 'j.error', 'j.ended_at');
}

/** @throws NotFound kernel_run_not_found, also for one that the actor may not see */
export async function kernelRunFor(
  db: Knex,
  actor: Actor,
  action: 'kernel_run.read' | 'kernel_run.replay',
  kind: KernelRunKind,
  jobId: string,
): Promise<KernelRunRow> {
  const [found] = await selectRuns(db)
    .where('k.job_id', jobId)
    .where('k.kind', kind)
    .where(whereMay(actor, action, { owner: 'k.owner_id' }));
  if (!found) throw new NotFound('kernel_run_not_found', `You have no ${kind} ${jobId}: list yours`);
  return found;
}
