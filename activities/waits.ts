// What a wait does outside its workflow: thin over core/pauses/wait.
import { ApplicationFailure } from '@temporalio/activity';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { deliverWait as deliver } from '#core/pauses/wait/deliver.ts';
import { type ApprovalProgress, advanceApproval } from '#core/pauses/decision/advance.ts';
import type { Resolution, WaitOutcome } from '#core/pauses/wait/model.ts';
import { recordWaitOutcome } from '#core/pauses/wait/record-outcome.ts';
import { longRunning } from './long-running.ts';

export type { ApprovalProgress, Resolution };
export type WaitActivities = ReturnType<typeof createWaitActivities>;

export function createWaitActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'worker' }, requestId: newId('req', deps.clock()) });
  return {
    settleWait: (waitId: string, outcome: WaitOutcome): Promise<{ tell: boolean }> => recordWaitOutcome(platform(), waitId, outcome),

    /** Of a wait that several decide. */
    advanceApproval: (waitId: string): Promise<ApprovalProgress> => advanceApproval(platform(), waitId),

    /** Fails for good when nobody waits any more. */
    deliverWait: (waitId: string): Promise<void> =>
      longRunning(async () => {
        const delivery = await deliver(platform(), waitId);
        if (delivery === 'gone') throw ApplicationFailure.nonRetryable('the skill does not wait any more', 'Gone');
      }),
  };
}
