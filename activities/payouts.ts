// What a payout run does outside its workflow: thin over core/money/payout.
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { endPayoutRun, payNext } from '#core/money/payout/run/next.ts';
import { takeDue } from '#core/money/payout/run/take.ts';
import { beat } from './attempts.ts';

export type PayoutActivities = ReturnType<typeof createPayoutActivities>;

export function createPayoutActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'payouts' }, requestId: newId('req', deps.clock()) });
  return {
    /** False: no creator is due any more. */
    takePayouts: (runId: string): Promise<boolean> => takeDue(platform(), runId, beat),
    /** False: all that was taken is paid or refused, and signed. */
    payPayouts: (runId: string): Promise<boolean> => payNext(platform(), runId, beat),
    endPayouts: (runId: string): Promise<void> => endPayoutRun(platform(), runId),
  };
}
