// Pays creators what they are owed: first what is due becomes the run's, then each creator is paid under the
// key of their transfer. Every step may come twice.
import { CancellationScope, continueAsNew } from '@temporalio/workflow';
import type { PayoutActivities } from '#activities/payouts.ts';
import type { SettlePayoutsIn } from './messages.ts';
import { isLong } from './pace.ts';
import { activities } from './queues.ts';

/** Tried for ever: what a run has taken is of no other run. */
const steps = activities<PayoutActivities>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: '2m',
  retry: { initialInterval: '1s', maximumInterval: '5m' },
});

/** After its start it runs to its end, also when it is cancelled: a transfer may be in progress. */
export async function settlePayouts({ run_id, taken = false }: SettlePayoutsIn): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    let isTaken = taken;
    while (!isTaken) {
      isTaken = !(await steps.takePayouts(run_id));
      if (isLong()) return continueAsNew<typeof settlePayouts>({ run_id, taken: isTaken });
    }
    while (await steps.payPayouts(run_id)) {
      if (isLong()) return continueAsNew<typeof settlePayouts>({ run_id, taken: true });
    }
    await steps.endPayouts(run_id);
  });
}
