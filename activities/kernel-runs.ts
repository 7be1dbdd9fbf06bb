// What runs of simulated worlds do outside their workflow: thin over core/studio/kernel.
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Fault } from '#core/kernel/errors.ts';
import { newId } from '#core/kernel/ids.ts';
import type { Advanced } from '#core/studio/kernel/end.ts';
import { advanceKernelRun, endKernelRun } from '#core/studio/kernel/steps.ts';
import { longRunning } from './long-running.ts';

export type { Advanced };
export type KernelRunActivities = ReturnType<typeof createKernelRunActivities>;

export function createKernelRunActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'simulations' }, requestId: newId('req', deps.clock()) });
  return {
    advanceKernelRun: (jobId: string): Promise<Advanced> => longRunning((signal) => advanceKernelRun(platform(), jobId, signal)),
    endKernelRun: (jobId: string, fault: Fault): Promise<void> => endKernelRun(platform(), jobId, fault),
  };
}
