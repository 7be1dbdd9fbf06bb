// What a wait does outside its workflow: thin over core/runs/wait.
import { ApplicationFailure } from '@temporalio/activity';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { deliverWait as deliver, type Delivery, markDelivered, deliverAnswer } from '#core/runs/wait/deliver.ts';
import { type Advanced, advanceApproval } from '#core/runs/approval/advance.ts';
import type { Resolution, WaitOutcome } from '#core/runs/wait/model.ts';
import { recordWaitOutcome } from '#core/runs/wait/record-outcome.ts';
import { longRunning } from './long-running.ts';

export type { Advanced, Resolution };
export type WaitActivities = ReturnType<typeof createWaitActivities>;

/** A machine that sleeps on disk takes longer to wake than this may wait. */
const atOnceMs = 3_000;

export function createWaitActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'worker' }, requestId: newId('req', deps.clock()) });
  return {
    /**
     * Also delivers the outcome at once where that is possible, which saves a round of the engine; an answer is sent while it is still being written,
     * since the engine has it already. deliverWait sends what did not get through.
     */
    async settleWait(waitId: string, outcome: WaitOutcome): Promise<{ tell: boolean }> {
      const ctx = platform();
      let sending: Promise<Delivery | undefined> | undefined;
      const recorded = await recordWaitOutcome(ctx, waitId, outcome, (held) => {
        // Where another outcome was written before, that one counts: it is read first.
        if (outcome.decision === 'answered' && held.row.state === 'pending' && held.instance)
          sending = deliverAnswer(ctx, held, outcome.answer, atOnceMs).catch(() => undefined);
        return sending;
      });
      if (!recorded.tell) return recorded;
      const delivery = sending ? await sending : await deliver(ctx, waitId, atOnceMs).catch(() => undefined);
      if (sending && delivery === 'delivered') await markDelivered(ctx, waitId);
      return { tell: delivery !== 'gone' };
    },

    /** Of a wait that several decide. Once it is decided, the outcome is delivered at once where that is possible. */
    async advanceApproval(waitId: string): Promise<Advanced> {
      const ctx = platform();
      const advanced = await advanceApproval(ctx, waitId);
      if (advanced.state === 'pending' || !advanced.tell) return advanced;
      const delivery = await deliver(ctx, waitId, atOnceMs).catch(() => undefined);
      return { ...advanced, tell: delivery !== 'gone' };
    },

    /** Fails for good when nobody waits any more. */
    deliverWait: (waitId: string): Promise<void> =>
      longRunning(async () => {
        const delivery = await deliver(platform(), waitId);
        if (delivery === 'gone') throw ApplicationFailure.nonRetryable('the skill does not wait any more', 'Gone');
      }),
  };
}
