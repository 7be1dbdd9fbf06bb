// The same run again, as another job: its digests are compared with those that are kept.
import type { KernelEvolutionSummary } from '#contract/studio/kernel-evolution.ts';
import type { KernelSimulationSummary } from '#contract/studio/kernel-simulations.ts';
import type { KernelRunKind } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { act, recorded } from '../../kernel/act.ts';
import { createKernelRun } from './create.ts';
import { evolutionSummary, simulationSummary } from './present.ts';
import { kernelRunFor, type KernelRunRow } from './row.ts';

const DEADLINE_SECONDS = 600;

export const replaySimulation = async (ctx: Ctx, i: { job_id: string }): Promise<KernelSimulationSummary> =>
  simulationSummary(await replay(ctx, 'simulation', i.job_id));

export const replayEvolution = async (ctx: Ctx, i: { job_id: string }): Promise<KernelEvolutionSummary> =>
  evolutionSummary(await replay(ctx, 'evolution', i.job_id));

/** @throws NotFound kernel_run_not_found; Conflict kernel_run_open, too_many_kernel_runs */
async function replay(ctx: Ctx, kind: KernelRunKind, jobId: string): Promise<KernelRunRow> {
  const original = (ctx: Ctx, action: 'kernel_run.replay') => kernelRunFor(ctx.db, ctx.actor, action, kind, jobId);
  return act(ctx, 'kernel_run.replay', original, async (ctx, row) => {
    if (row.verdict === null)
      throw new Conflict('kernel_run_open', `The run has no verdict (${row.state}), so there is nothing to compare with`, { state: row.state });
    const { world, template, execution_mode, seed, total, most_calls } = row;
    // What agents answered comes along: none of them is called again.
    const given = { spec: JSON.stringify(row.spec), input: JSON.stringify(row.input), calls: JSON.stringify(row.calls) };
    const job_id = await createKernelRun(ctx, {
      ...given,
      ownerId: row.owner_id,
      title: `Replay: ${row.title.replace(/^(?:Replay: )+/, '')}`,
      deadlineSeconds: DEADLINE_SECONDS,
      kind,
      world,
      template,
      execution_mode,
      seed,
      total,
      most_calls,
      replay_of: row.job_id,
    });
    return recorded(await kernelRunFor(ctx.db, ctx.actor, 'kernel_run.read', kind, job_id));
  });
}
