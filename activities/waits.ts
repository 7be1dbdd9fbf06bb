// What a wait does outside its workflow: thin over core/runs/wait.
import { ApplicationFailure } from '@temporalio/activity';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { deliverWait as deliver, type Delivery, markDelivered, tellAnswer } from '#core/runs/wait/deliver.ts';
import type { Resolution, WaitOutcome } from '#core/runs/wait/model.ts';
import { settleWait as settle } from '#core/runs/wait/settle.ts';
import { longRunning } from './long-running.ts';

export type { Resolution };
export type WaitActivities = ReturnType<typeof createWaitActivities>;

/** A machine that sleeps on disk takes longer to wake than this may wait. */
const atOnceMs = 3_000;

export function createWaitActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'worker' }, requestId: newId('req', deps.clock()) });
  return {
    /**
     * Whoever waits is told at once where that is possible, which spares them a round of the engine, and an answer while it is still being written:
     * the engine has it already. deliverWait sees to it where that did not get through.
     */
    async settleWait(waitId: string, outcome: WaitOutcome): Promise<{ tell: boolean }> {
      const ctx = platform();
      let telling: Promise<Delivery | undefined> | undefined;
      const settled = await settle(ctx, waitId, outcome, (held) => {
        // What was written before counts, whatever comes after it: that is read again.
        if (outcome.decision === 'answered' && held.row.state === 'pending' && held.instance)
          telling = tellAnswer(ctx, held, outcome.answer, atOnceMs).catch(() => undefined);
        return telling;
      });
      if (!settled.tell) return settled;
      const delivery = telling ? await telling : await deliver(ctx, waitId, atOnceMs).catch(() => undefined);
      if (telling && delivery === 'told') await markDelivered(ctx, waitId);
      return { tell: delivery !== 'gone' };
    },

    /** Fails for good when nobody waits any more. */
    deliverWait: (waitId: string): Promise<void> =>
      longRunning(async () => {
        const delivery = await deliver(platform(), waitId);
        if (delivery === 'gone') throw ApplicationFailure.nonRetryable('the skill does not wait any more', 'Gone');
      }),
  };
}
