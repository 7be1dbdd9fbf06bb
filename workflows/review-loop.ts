// A review loop: its steps, one batch after the other, until its rows say that it has ended or its time is
// up.
import { ActivityFailure, CancellationScope, condition, continueAsNew, isCancellation, setHandler } from '@temporalio/workflow';
import type { LongWorkActivities } from '#activities/long-work.ts';
import { childEnded, type ReviewLoopIn, woken } from './messages.ts';
import { isLong } from './pace.ts';
import { activities } from './queues.ts';

/** A batch takes half a minute, and one probe of an agent that answers late some more. */
const steps = activities<LongWorkActivities>({
  startToCloseTimeout: '15m',
  heartbeatTimeout: '15s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { maximumInterval: '30s' },
});
/** Without an end the job would be open for ever: tried until it is written. */
const rows = activities<LongWorkActivities>({ startToCloseTimeout: '60s', retry: { maximumInterval: '30s' } });

/** The reviewer's end comes as a signal; this is for one that was lost. */
const lookAgain = '1 minute';

export async function reviewLoop({ job_id, deadline_ms }: ReviewLoopIn): Promise<void> {
  let news = 0;
  setHandler(childEnded, () => void (news += 1));
  setHandler(woken, () => void (news += 1));
  const started = Date.now();
  const left = (): number => deadline_ms - (Date.now() - started);
  const time = new CancellationScope({ cancellable: true, timeout: deadline_ms });
  try {
    await time.run(async () => {
      for (;;) {
        const seen = news;
        const step = await steps.advanceReviewLoop(job_id);
        if (step === 'ended') return;
        if (step === 'waits') await condition(() => news > seen, lookAgain);
        if (isLong()) await continueAsNew<typeof reviewLoop>({ job_id, deadline_ms: Math.max(1, left()) });
      }
    });
  } catch (error) {
    const late = isCancellation(error) && left() <= 0;
    if (!isCancellation(error) && !(error instanceof ActivityFailure)) throw error;
    await CancellationScope.nonCancellable(() => rows.endReviewLoop(job_id, late ? 'late' : isCancellation(error) ? 'cancelled' : 'failed'));
  }
}
