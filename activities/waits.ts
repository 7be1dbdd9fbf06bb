// What a wait does outside its workflow: thin over core/runs/wait.
import { ApplicationFailure } from '@temporalio/activity';
import type { Ctx } from '../core/ctx.ts';
import { newId } from '../core/ids.ts';
import { deliverWait as deliver } from '../core/runs/wait/deliver.ts';
import type { Resolution, WaitOutcome } from '../core/runs/wait/model.ts';
import { settleWait as settle } from '../core/runs/wait/settle.ts';
import { longRunning } from './long-running.ts';

export type { Resolution };
export type WaitActivities = ReturnType<typeof createWaitActivities>;

/** A machine that sleeps on disk takes longer to wake than this may wait. */
const atOnceMs = 3_000;

export function createWaitActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'worker' }, requestId: newId('req', deps.clock()) });
  return {
    /** Whoever waits is told at once where that is possible, which spares them a round of the engine; deliverWait sees to it where it was not. */
    async settleWait(waitId: string, outcome: WaitOutcome): Promise<{ tell: boolean }> {
      const ctx = platform();
      const settled = await settle(ctx, waitId, outcome);
      const delivery = settled.tell ? await deliver(ctx, waitId, atOnceMs).catch(() => undefined) : undefined;
      return delivery === 'gone' ? { tell: false } : settled;
    },

    /** Fails for good when nobody waits any more. */
    deliverWait: (waitId: string): Promise<void> =>
      longRunning(async () => {
        const delivery = await deliver(platform(), waitId);
        if (delivery === 'gone') throw ApplicationFailure.nonRetryable('the skill does not wait any more', 'Gone');
      }),
  };
}
