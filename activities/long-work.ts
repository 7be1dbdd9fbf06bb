// What long work of one shape does outside its workflow (workflows/long-work.ts, workflows/review-loop.ts):
// its next steps, and its end where those are cancelled or fail.
import type { Advanced } from '#core/jobs/long-work.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Fault } from '#core/kernel/errors.ts';
import { newId } from '#core/kernel/ids.ts';
import { advanceKernelRun, endKernelRun } from '#core/studio/kernel/steps.ts';
import { endReviewLoop, type LoopEnd } from '#core/studio/review-loop/end.ts';
import { advanceLoop } from '#core/studio/review-loop/step.ts';
import { advanceStudio } from '#core/studio/studio-run/advance.ts';
import { endStudioRun } from '#core/studio/studio-run/end.ts';
import { advanceTrial } from '#core/studio/trial-room/advance.ts';
import { endTrial } from '#core/studio/trial-room/end.ts';
import { longRunning } from './long-running.ts';

export type LongWorkActivities = ReturnType<typeof createLongWorkActivities>;

/** `node`: name of this host. */
export function createLongWorkActivities(deps: Omit<Ctx, 'actor' | 'requestId'>, node?: string) {
  const as = (service: string): Ctx => ({ ...deps, actor: { kind: 'platform', service }, requestId: newId('req', deps.clock()) });
  return {
    advanceStudio: (jobId: string): Promise<Advanced> => longRunning((signal) => advanceStudio(as('studio'), jobId, signal, node)),
    endStudio: (jobId: string, fault: Fault): Promise<void> => endStudioRun(as('studio'), jobId, fault),
    advanceTrial: (jobId: string): Promise<Advanced> => longRunning((signal) => advanceTrial(as('trials'), jobId, signal)),
    endTrial: (jobId: string, fault: Fault): Promise<void> => endTrial(as('trials'), jobId, fault),
    advanceKernelRun: (jobId: string): Promise<Advanced> => longRunning((signal) => advanceKernelRun(as('simulations'), jobId, signal)),
    endKernelRun: (jobId: string, fault: Fault): Promise<void> => endKernelRun(as('simulations'), jobId, fault),
    advanceReviewLoop: (jobId: string): Promise<Advanced> => longRunning((signal) => advanceLoop(as('review-loops'), jobId, signal)),
    endReviewLoop: (jobId: string, how: LoopEnd): Promise<void> => endReviewLoop(as('review-loops'), jobId, how),
  };
}
