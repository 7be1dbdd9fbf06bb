// What a run does outside its workflow: thin over core/runs/run.
import { activityInfo } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { cancelRun as cancel } from '#core/runs/durable/cancel.ts';
import { type Driven, driveRun as drive } from '#core/runs/durable/drive.ts';
import { endUnreachableRun as giveUp, isSilent, isWaiting, UNREACHABLE_AFTER } from '#core/runs/durable/unreachable.ts';
import { longRunning } from './long-running.ts';

export type { Driven };
export type RunActivities = ReturnType<typeof createRunActivities>;

/** Of hundreds at once; their queue passes it on every 5 s, and the workflow waits 15 s for one. */
const heartbeatEveryMs = 4_000;

export function createRunActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'worker' }, requestId: newId('req', deps.clock()) });
  return {
    /** Resolves when the run has ended or waits for a person; comes again after any failure. */
    async driveRun(runId: string): Promise<Driven> {
      const { scheduledTimestampMs } = activityInfo();
      return longRunning(
        async (signal) => {
          try {
            return await drive(platform(), runId, signal);
          } catch (error) {
            const tried = deps.clock() - scheduledTimestampMs;
            if (signal.aborted || error instanceof CancelledFailure || tried < UNREACHABLE_AFTER * 1000 || !(await isSilent(platform(), runId))) throw error;
            await giveUp(platform(), runId);
            return 'ended';
          }
        },
        { heartbeatEveryMs },
      );
    },

    cancelRun: (runId: string): Promise<void> => longRunning(() => cancel(platform(), runId)),

    /** Whether there is still nothing to drive. */
    runWaits: (runId: string): Promise<boolean> => isWaiting(platform(), runId),
  };
}
