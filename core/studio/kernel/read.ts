import type { KernelEvolutionOut, KernelEvolutionSummary } from '#contract/studio/kernel-evolution.ts';
import type { KernelSimulationOut, KernelSimulationSummary, KernelTemplatesOut } from '#contract/studio/kernel-simulations.ts';
import type { KernelRunKind } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { requireUser, whereMay } from '../../kernel/policy.ts';
import { evolutionSummary, listKernelTemplates, presentEvolution, presentSimulation, simulationSummary } from './present.ts';
import { kernelRunFor, type KernelRunRow, selectRuns } from './row.ts';
import { spentMicros } from './calls.ts';

interface ListIn {
  limit: number;
  cursor?: string | undefined;
}

export const listSimulations = (ctx: Ctx, i: ListIn): Promise<Page<KernelSimulationSummary>> => list(ctx, 'simulation', i, simulationSummary);
export const listEvolutions = (ctx: Ctx, i: ListIn): Promise<Page<KernelEvolutionSummary>> => list(ctx, 'evolution', i, evolutionSummary);

/** @throws NotFound kernel_run_not_found */
export async function getSimulation(ctx: Ctx, i: { job_id: string }): Promise<KernelSimulationOut> {
  const row = await kernelRunFor(ctx.db, ctx.actor, 'kernel_run.read', 'simulation', i.job_id);
  return presentSimulation(row, await spentMicros(ctx.db, row));
}

/** @throws NotFound kernel_run_not_found */
export async function getEvolution(ctx: Ctx, i: { job_id: string }): Promise<KernelEvolutionOut> {
  return presentEvolution(await kernelRunFor(ctx.db, ctx.actor, 'kernel_run.read', 'evolution', i.job_id));
}

export function getTemplates(ctx: Ctx): KernelTemplatesOut {
  requireUser(ctx, 'kernel_run.read');
  return listKernelTemplates();
}

/** Newest first. */
async function list<T>(ctx: Ctx, kind: KernelRunKind, i: ListIn, present: (row: KernelRunRow) => T): Promise<Page<T>> {
  const query = selectRuns(ctx.db)
    .where('k.kind', kind)
    .where(whereMay(ctx.actor, 'kernel_run.read', { owner: 'k.owner_id' }));
  return newestPage(query, ['k.created_at', 'k.job_id'], i, present);
}
