// Simulations and comparisons that have ended.
import { KernelEvolutionIn } from '#contract/studio/kernel-evolution.ts';
import { KernelSimulationIn } from '#contract/studio/kernel-simulations.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { startEvolution, startSimulation } from '#core/studio/kernel/start.ts';
import { advanceKernelRun } from '#core/studio/kernel/steps.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function kernelRecords({ ctx }: Owner): Promise<AreaRecords> {
  const simulation = await addSimulation(ctx);
  const evolution = await addEvolution(ctx);
  const params = {
    'kernelSimulations.get.job_id': simulation,
    'kernelSimulations.replay.job_id': simulation,
    'kernelEvolution.get.job_id': evolution,
    'kernelEvolution.replay.job_id': evolution,
  };
  const calls = {
    'kernelSimulations.start': { body: { template: 'tournament', steps: 5 } },
    'kernelEvolution.start': { body: { template: 'tournament', seeds: 4, variant_count: 1 } },
  };
  return { params, calls };
}

async function addSimulation(ctx: Ctx): Promise<string> {
  const { job_id } = await startSimulation(ctx, KernelSimulationIn.parse({ template: 'creator-market', seed: 7, title: 'Which prices last?' }));
  return ended(ctx, job_id);
}

async function addEvolution(ctx: Ctx): Promise<string> {
  const { job_id } = await startEvolution(ctx, KernelEvolutionIn.parse({ template: 'partnership', seed: 7, seeds: 4 }));
  return ended(ctx, job_id);
}

async function ended(ctx: Ctx, jobId: string): Promise<string> {
  for (let step = await advanceKernelRun(ctx, jobId); step === 'again'; step = await advanceKernelRun(ctx, jobId));
  return jobId;
}
